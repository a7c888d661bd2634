#include "driving/process.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace notesdb::driving {
namespace {

[[noreturn]] void fail(const std::string& what) {
  throw std::runtime_error(what + ": " + std::strerror(errno));
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> result;
  for (std::string& word : words)
    result.push_back(word.data());
  result.push_back(nullptr);
  return result;
}

std::string variable(const char* name, const char* otherwise) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): tests are one thread
  return value == nullptr ? otherwise : value;
}

std::vector<std::string> environment_with(const Environment& extra) {
  Environment all{{"PATH", variable("PATH", "/usr/bin:/bin")},
                  {"HOME", variable("HOME", "/")},
                  {"TMPDIR", variable("TMPDIR", "/tmp")},
                  {"LC_ALL", "C.UTF-8"}};
  for (const char* sanitizer : {"ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS"})
    if (const std::string value = variable(sanitizer, ""); !value.empty()) all[sanitizer] = value;
  for (const auto& [name, value] : extra)
    all[name] = value;
  std::vector<std::string> result;
  for (const auto& [name, value] : all)
    result.push_back(name + "=" + value);
  return result;
}

struct Pipe {
  int read_end = -1;
  int write_end = -1;
};

Pipe open_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) fail("pipe2");
  return {ends[0], ends[1]};
}

// What a child is started with in place of our own streams.
struct Streams {
  int in = -1;
  int out = -1;
  int err = -1;
};

pid_t spawn(const Words& words, const Environment& extra, const Streams& streams) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, streams.in, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, streams.out, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, streams.err, STDERR_FILENO);
  Words arguments = words;
  std::vector<std::string> environment = environment_with(extra);
  pid_t pid = -1;
  const int error = posix_spawnp(&pid,
                                 arguments.at(0).c_str(),
                                 &actions,
                                 nullptr,
                                 pointers(arguments).data(),
                                 pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  if (error == 0) return pid;
  errno = error;
  fail("cannot start " + words.at(0));
}

int wait_for(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void write_all(int descriptor, const std::string& bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t n = write(descriptor, bytes.data() + done, bytes.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail("the program does not read its input");
    done += static_cast<std::size_t>(n);
  }
}

// A nameless file, for streams that need no conversation: no pipe that could fill up.
int temporary_file() {
  std::string name = variable("TMPDIR", "/tmp") + "/notesdb-stream-XXXXXX";
  const int descriptor = mkostemp(name.data(), O_CLOEXEC);
  if (descriptor < 0) fail("mkostemp");
  unlink(name.c_str());
  return descriptor;
}

std::string take_all(int descriptor) {
  std::string bytes(static_cast<std::size_t>(lseek(descriptor, 0, SEEK_END)), '\0');
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t n =
        pread(descriptor, bytes.data() + done, bytes.size() - done, static_cast<off_t>(done));
    if (n <= 0) break;
    done += static_cast<std::size_t>(n);
  }
  bytes.resize(done);
  close(descriptor);
  return bytes;
}

// A child that hangs is ended by the kernel's clock, not by luck.
bool ends_in_time(pid_t pid) {
  const auto end = std::chrono::steady_clock::now() + kDeadline;
  while (std::chrono::steady_clock::now() < end) {
    siginfo_t info{};
    if (waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) != 0) return true;
    if (info.si_pid == pid) return true;
    usleep(500);
  }
  kill(pid, SIGKILL);
  return false;
}

}  // namespace

std::string program() {
  // Another one is given by tests/faults/mutants.py.
  const char* const given = std::getenv("NOTESDB_PROGRAM");  // NOLINT(concurrency-mt-unsafe)
  return given != nullptr ? given : NOTESDB_BINARY_DIR "/notesdb";
}

Finished run(const Words& words, const Environment& extra, const std::string& input) {
  const int in = temporary_file();
  write_all(in, input);
  lseek(in, 0, SEEK_SET);
  const int out = temporary_file();
  const int err = temporary_file();
  const pid_t pid = spawn(words, extra, {in, out, err});
  const bool in_time = ends_in_time(pid);
  Finished done;
  done.exit_code = wait_for(pid);
  close(in);
  done.out = take_all(out);
  done.err = take_all(err) + (in_time ? "" : "\n(ended by the test: no end within the deadline)");
  return done;
}

bool is_installed(const std::string& name) {
  std::istringstream folders(variable("PATH", "/usr/bin:/bin"));
  std::string folder;
  while (std::getline(folders, folder, ':'))
    if (access((folder + "/" + name).c_str(), X_OK) == 0) return true;
  return false;
}

Process::Process(const Words& words, const Environment& extra) {
  std::signal(SIGPIPE, SIG_IGN);
  const Pipe in = open_pipe();
  const Pipe out = open_pipe();
  errors_path_ = variable("TMPDIR", "/tmp") + "/notesdb-errors-XXXXXX";
  const int err = mkostemp(errors_path_.data(), O_CLOEXEC);
  if (err < 0) fail("mkostemp");
  pid_ = spawn(words, extra, {in.read_end, out.write_end, err});
  close(in.read_end);
  close(out.write_end);
  close(err);
  to_child_ = in.write_end;
  from_child_ = out.read_end;
}

Process::~Process() {
  if (pid_ > 0) finish();
}

void Process::write_line(const std::string& line) {
  write_all(to_child_, line + "\n");
}

bool Process::wait_for_output() {
  pollfd watched{from_child_, POLLIN, 0};
  const auto milliseconds =
      std::chrono::duration_cast<std::chrono::milliseconds>(kDeadline).count();
  while (true) {
    const int n = poll(&watched, 1, static_cast<int>(milliseconds));
    if (n < 0 && errno == EINTR) continue;
    return n > 0;
  }
}

std::optional<std::string> Process::read_line() {
  while (true) {
    if (const std::size_t end = unread_.find('\n'); end != std::string::npos) {
      std::string line = unread_.substr(0, end);
      unread_.erase(0, end + 1);
      return line;
    }
    if (!wait_for_output()) {
      kill(pid_, SIGKILL);
      throw std::runtime_error("no answer within the deadline; standard error: " + finish().err);
    }
    std::array<char, 65536> buffer{};
    const ssize_t n = read(from_child_, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return std::nullopt;
    unread_.append(buffer.data(), static_cast<std::size_t>(n));
  }
}

Finished Process::finish() {
  close(to_child_);
  const bool in_time = ends_in_time(pid_);
  Finished done;
  done.exit_code = wait_for(pid_);
  pid_ = -1;
  close(from_child_);
  done.out = unread_;
  std::ifstream errors(errors_path_, std::ios::binary);
  done.err = std::string(std::istreambuf_iterator<char>(errors), {});
  if (!in_time) done.err += "\n(ended by the test: still running after its input was closed)";
  unlink(errors_path_.c_str());
  return done;
}

}  // namespace notesdb::driving
