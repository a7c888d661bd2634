#include "cli/pager.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <optional>

#include <sys/wait.h>
#include <unistd.h>

namespace notesdb::cli {

namespace {

bool is_more_than_a_screen(std::string_view text, int height) {
  return height > 0 && std::ranges::count(text, '\n') >= height;
}

// Empty where there is none to be used.
std::string program() {
  const char* named = std::getenv("PAGER");
  return named == nullptr ? "less" : named;
}

bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(descriptor, text.data(), text.size());
    if (count <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

// Whether the pager showed the text. A person who leaves it early has seen enough.
bool page(const std::string& pager, std::string_view text) {
  int ends[2];
  if (::pipe(ends) != 0) return false;
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(ends[0], STDIN_FILENO);
    ::close(ends[0]);
    ::close(ends[1]);
    ::setenv("LESS", "FRX", 0);
    ::execl("/bin/sh", "sh", "-c", pager.c_str(), static_cast<char*>(nullptr));
    ::_exit(127);
  }
  ::close(ends[0]);
  // Ctrl-C is the pager's while it runs.
  const auto before = std::signal(SIGINT, SIG_IGN);
  if (child > 0) write_all(ends[1], text);
  ::close(ends[1]);
  int status = 0;
  while (child > 0 && ::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  std::signal(SIGINT, before);
  if (child < 0) return false;
  constexpr int not_found = 127;
  return !(WIFEXITED(status) && WEXITSTATUS(status) == not_found);
}

}  // namespace

Console::Write writer_for(const std::vector<std::string>& words) {
  const bool is_refused = std::ranges::find(words, "--no-pager") != words.end();
  const Reader reader = reader_of_process();
  const std::string pager = program();
  if (is_refused || !reader.is_terminal || pager.empty() || pager == "cat") return write_to;
  return [pager, height = reader.height](Stream stream, std::string_view text) {
    if (stream == Stream::out && is_more_than_a_screen(text, height) && page(pager, text))
      return true;
    return write_to(stream, text);
  };
}

}  // namespace notesdb::cli
