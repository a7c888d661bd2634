#include "mcp/random.h"

#include <stdexcept>

#include <sys/random.h>

namespace notesdb::mcp {

std::string random_bytes(std::size_t count) {
  std::string bytes(count, '\0');
  if (::getrandom(bytes.data(), count, 0) != static_cast<ssize_t>(count)) {
    throw std::runtime_error("the kernel gives no random bytes");
  }
  return bytes;
}

}  // namespace notesdb::mcp
