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

bool write_to(Stream stream, std::string_view text) {
  return write_all(stream == Stream::out ? STDOUT_FILENO : STDERR_FILENO, text);
}

Reader reader_of_process() {
  const bool is_terminal = isatty(STDOUT_FILENO) == 1;
  return {is_terminal, is_terminal ? terminal_width() : 0};
}

void Console::err(std::string_view sentence) {
  flush();
  std::string line = escape_controls(sentence);
  if (!line.ends_with('\n')) line += '\n';
  write_(Stream::err, line);
}

bool Console::flush() {
  std::string text;
  text.swap(buffer_);
  return text.empty() || write_(Stream::out, text);
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
