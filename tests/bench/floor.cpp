// bench_floor: what the kernel alone needs, with nothing of ours in between.
//
//   bench_floor stat DIR         list a folder, stat every file on two threads
//   bench_floor known DIR N      stat task-000001.md to N on two threads, nothing listed
//   bench_floor read DIR         list a folder; open, read and close every file on two threads
//   bench_floor write DIR N      N new files: written beside, synced, renamed, the folder synced
//   bench_floor plain DIR N      N files, written and renamed, never synced
//   bench_floor each DIR N       N files, each with the four steps of `write` by itself
//   bench_floor peak COMMAND...  run it, and print the most memory it held, in KiB
//
// The times are those of the whole process, so that they stand beside commands.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

std::vector<std::string> names_in(const char* folder) {
  std::vector<std::string> names;
  DIR* opened = ::opendir(folder);
  if (opened == nullptr) return names;
  while (const dirent* entry = ::readdir(opened)) {
    if (entry->d_name[0] != '.') names.emplace_back(entry->d_name);
  }
  ::closedir(opened);
  return names;
}

// Every second name from `first`, in a descriptor table of its own: a shared one costs a lock a
// file.
template <typename Touch>
void touch_half(const char* folder,
                const std::vector<std::string>& names,
                std::size_t first,
                Touch touch) {
  ::unshare(CLONE_FILES);
  const int place = ::open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  for (std::size_t at = first; at < names.size(); at += 2)
    touch(place, names[at].c_str());
  ::close(place);
}

template <typename Touch>
int touch_all(const char* folder, const std::vector<std::string>& names, Touch touch) {
  std::thread second([&] { touch_half(folder, names, 1, touch); });
  touch_half(folder, names, 0, touch);
  second.join();
  return names.empty() ? 1 : 0;
}

std::vector<std::string> first_rows(int count) {
  std::vector<std::string> names(static_cast<std::size_t>(count));
  for (int at = 0; at < count; ++at) {
    const std::string number = std::to_string(at + 1);
    names[static_cast<std::size_t>(at)] =
        "task-" + std::string(6 - std::min<std::size_t>(6, number.size()), '0') + number + ".md";
  }
  return names;
}

int stat_all(const char* folder, const std::vector<std::string>& names) {
  return touch_all(folder, names, [](int place, const char* name) {
    struct stat found {};
    ::fstatat(place, name, &found, AT_SYMLINK_NOFOLLOW);
  });
}

int read_all(const char* folder) {
  return touch_all(folder, names_in(folder), [](int place, const char* name) {
    thread_local std::vector<char> buffer(std::size_t{1} << 16);
    const int file = ::openat(place, name, O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    while (::read(file, buffer.data(), buffer.size()) == static_cast<ssize_t>(buffer.size())) {
    }
    ::close(file);
  });
}

enum class Safety { none, once, each };

// Files of a row's size, as a careful program saves them and no more careful.
int write_files(const char* folder, int count, Safety safety) {
  const std::string bytes(1750, 'x');
  const int place = ::open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (place < 0) return 1;
  const auto temporary = [](int at) { return "beside-" + std::to_string(at); };
  const auto rename = [&](int at) {
    ::renameat(place, temporary(at).c_str(), place, ("row-" + std::to_string(at)).c_str());
  };
  for (int at = 0; at < count; ++at) {
    const int file =
        ::openat(place, temporary(at).c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0644);
    if (::write(file, bytes.data(), bytes.size()) < 0) return 1;
    if (safety == Safety::each || (safety == Safety::once && count == 1)) ::fsync(file);
    ::close(file);
    if (safety != Safety::once) rename(at);
    if (safety == Safety::each) ::fsync(place);
  }
  if (safety == Safety::once) {
    if (count > 1) ::syncfs(place);
    for (int at = 0; at < count; ++at)
      rename(at);
    ::fsync(place);
  }
  return 0;
}

int print_peak(char** command) {
  const pid_t child = ::vfork();
  if (child == 0) {
    ::execvp(command[0], command);
    ::_exit(127);
  }
  int status = 0;
  rusage used{};
  ::wait4(child, &status, 0, &used);
  std::fprintf(stderr, "%ld\n", used.ru_maxrss);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view what = argc > 2 ? argv[1] : "";
  const int count = argc > 3 ? std::atoi(argv[3]) : 1;
  if (what == "stat") return stat_all(argv[2], names_in(argv[2]));
  if (what == "known") return stat_all(argv[2], first_rows(count));
  if (what == "read") return read_all(argv[2]);
  if (what == "write") return write_files(argv[2], count, Safety::once);
  if (what == "plain") return write_files(argv[2], count, Safety::none);
  if (what == "each") return write_files(argv[2], count, Safety::each);
  if (what == "peak") return print_peak(argv + 2);
  std::fputs("usage: bench_floor stat|read DIR, known|write|plain|each DIR N, peak COMMAND...\n",
             stderr);
  return 2;
}
