#include "mcp/line_reader.h"

#include <algorithm>
#include <cerrno>

#include <unistd.h>

namespace notesdb::mcp {
namespace {

// A buffer that one long line has blown up is given back.
constexpr std::size_t worth_keeping = std::size_t{1} << 20;

bool is_blank(const std::string& text) {
  return text.find_first_not_of(" \t\r") == std::string::npos;
}

}  // namespace

bool LineReader::fill() {
  buffer_.erase(0, begin_);
  scanned_ -= begin_;
  begin_ = 0;
  if (buffer_.empty() && buffer_.capacity() > worth_keeping) std::string().swap(buffer_);
  buffer_.reserve(buffer_.size() + arriving_.size());
  ssize_t count = 0;
  do {
    count = ::read(descriptor_, arriving_.data(), arriving_.size());
  } while (count < 0 && errno == EINTR);
  if (count <= 0) return false;
  buffer_.append(arriving_.data(), static_cast<std::size_t>(count));
  return true;
}

std::optional<std::string> LineReader::next() {
  for (;;) {
    const std::size_t end = buffer_.find('\n', scanned_);
    if (end != std::string::npos) {
      std::string line = buffer_.substr(begin_, end - begin_);
      begin_ = scanned_ = end + 1;
      if (is_blank(line)) continue;
      return line;
    }
    scanned_ = buffer_.size();
    // What is too long anyway need not be kept: one byte over the limit is enough to refuse it.
    if (buffer_.size() - begin_ > longest_ + 1) {
      buffer_.resize(begin_ + longest_ + 1);
      scanned_ = buffer_.size();
    }
    if (fill()) continue;
    std::string last = buffer_.substr(begin_);
    begin_ = scanned_ = buffer_.size();
    if (is_blank(last)) return std::nullopt;
    return last;
  }
}

}  // namespace notesdb::mcp
