#include "http/token_file.h"

#include <algorithm>
#include <array>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace notesdb::http {
namespace {

constexpr std::size_t shortest_token = 16;
constexpr std::size_t longest_token = 4096;

Error refuse(std::string why) {
  return {ErrorCode::invalid_argument, "--token-file: " + std::move(why)};
}

bool is_visible(char c) {
  return c > ' ' && c < '\x7F';
}

}  // namespace

Result<std::string> read_token_file(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return refuse("the file cannot be read");
  struct stat about {};
  const bool regular = ::fstat(file, &about) == 0 && S_ISREG(about.st_mode);
  std::array<char, longest_token + 1> bytes{};
  const ssize_t count = regular ? ::read(file, bytes.data(), bytes.size()) : -1;
  ::close(file);
  if (count < 0) return refuse("it is not a file that can be read");
  if ((about.st_mode & (S_IRGRP | S_IROTH | S_IWGRP | S_IWOTH)) != 0) {
    return refuse("others can read it; make it yours alone (chmod 600)");
  }
  std::string token(bytes.data(), static_cast<std::size_t>(count));
  token.erase(std::min(token.find_first_of("\r\n"), token.size()));
  const std::size_t begin = token.find_first_not_of(" \t");
  const std::size_t end = token.find_last_not_of(" \t");
  token = begin == std::string::npos ? std::string() : token.substr(begin, end - begin + 1);
  if (token.size() < shortest_token) return refuse("a token has at least 16 characters");
  if (token.size() > longest_token || !std::all_of(token.begin(), token.end(), is_visible)) {
    return refuse("a token is one line of visible ASCII characters");
  }
  return token;
}

}  // namespace notesdb::http
