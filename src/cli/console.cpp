#include "cli/console.h"

#include <array>
#include <cerrno>
#include <cstdio>

#include <sys/ioctl.h>
#include <unistd.h>

#include "core/text.h"

namespace notesdb::cli {

namespace {

int terminal_width() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  constexpr int usual = 80;
  return usual;
}

// The number of bytes written, or nothing once the descriptor takes no more.
bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    ssize_t count = write(descriptor, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno == EPIPE;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

}  // namespace

Console::Console() : is_terminal_(isatty(STDOUT_FILENO) == 1) {
  if (is_terminal_) width_ = terminal_width();
}

void Console::err(std::string_view sentence) {
  flush();
  std::string line = escape_controls(sentence);
  if (!line.ends_with('\n')) line += '\n';
  write_all(STDERR_FILENO, line);
}

bool Console::flush() {
  std::string text;
  text.swap(buffer_);
  return write_all(STDOUT_FILENO, text);
}

std::string read_standard_input() {
  std::string text;
  std::array<char, 1U << 16U> part{};
  while (true) {
    ssize_t count = read(STDIN_FILENO, part.data(), part.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return text;
    text.append(part.data(), static_cast<std::size_t>(count));
  }
}

}  // namespace notesdb::cli
