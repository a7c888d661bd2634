#include "cli/console.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include <sys/ioctl.h>
#include <unistd.h>

#include "core/text.h"

namespace notesdb::cli {

namespace {

Reader terminal() {
  winsize size{};
  constexpr int usual_width = 80;
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return {true, usual_width, 0};
  return {true, size.ws_col > 0 ? size.ws_col : usual_width, size.ws_row};
}

// Whether all of it was written, or its reader has gone.
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
  return isatty(STDOUT_FILENO) == 1 ? terminal() : Reader{};
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
  is_written_ = is_written_ && (text.empty() || write_(Stream::out, text));
  return is_written_;
}

void Console::do_afterwards() {
  for (const std::function<void()>& work : afterwards_)
    work();
  afterwards_.clear();
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

Result<std::string> read_text(const std::string& path) {
  if (path == "-") return read_standard_input();
  std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  std::string text;
  std::array<char, 1U << 16U> part{};
  while (file != nullptr) {
    std::size_t count = std::fread(part.data(), 1, part.size(), file.get());
    text.append(part.data(), count);
    if (count < part.size()) break;
  }
  if (file == nullptr || std::ferror(file.get()) != 0) {
    // NOLINTNEXTLINE(concurrency-mt-unsafe): commands run on one thread.
    std::string reason = std::strerror(errno);
    return Error{ErrorCode::io_error, "cannot read " + path + ": " + reason, Map{}};
  }
  return text;
}

}  // namespace notesdb::cli
