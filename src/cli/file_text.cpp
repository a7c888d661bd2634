#include "cli/file_text.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "cli/console.h"

namespace notesdb::cli {

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
