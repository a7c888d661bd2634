#include "serving/local_message.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>

#include <sys/socket.h>
#include <sys/uio.h>

namespace notesdb {
namespace {

using Length = std::uint32_t;

void append_length(std::string& bytes, std::size_t length) {
  const auto number = static_cast<Length>(length);
  char text[sizeof(Length)];
  std::memcpy(text, &number, sizeof number);
  bytes.append(text, sizeof number);
}

// Takes bytes off the front of a message, and remembers when there were too few.
class Taker {
 public:
  explicit Taker(std::string_view bytes) : rest_(bytes) {}

  bool failed() const { return failed_; }
  bool at_end() const { return rest_.empty(); }

  std::string_view take(std::size_t count) {
    if (count > rest_.size()) {
      failed_ = true;
      return {};
    }
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }
  unsigned char take_byte() {
    const std::string_view byte = take(1);
    return byte.empty() ? '\0' : static_cast<unsigned char>(byte.front());
  }
  std::size_t take_length() {
    const std::string_view bytes = take(sizeof(Length));
    Length length = 0;
    if (!failed_) std::memcpy(&length, bytes.data(), sizeof length);
    return length;
  }
  // Up to the next zero byte.
  std::string take_text() {
    const std::size_t end = rest_.find('\0');
    if (end == std::string_view::npos) {
      failed_ = true;
      return {};
    }
    std::string text(take(end));
    take(1);
    return text;
  }
  // A text that is a number; empty is 0.
  int take_number() {
    const std::string text = take_text();
    int number = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (end != text.data() + text.size() || (failure != std::errc() && !text.empty()) || number < 0)
      failed_ = true;
    return number;
  }

 private:
  std::string_view rest_;
  bool failed_ = false;
};

bool receive_exactly(int socket, char* into, std::size_t length) {
  while (length > 0) {
    const ssize_t count = ::recv(socket, into, length, 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    into += count;
    length -= static_cast<std::size_t>(count);
  }
  return true;
}

}  // namespace

std::optional<std::string> encode(const LocalRequest& request) {
  std::string bytes;
  bool has_zero = false;
  const auto append = [&](const std::string& text) {
    has_zero = has_zero || text.find('\0') != std::string::npos;
    bytes.append(text).push_back('\0');
  };
  append(request.version);
  append(request.folder);
  append(request.reader.is_terminal ? std::to_string(request.reader.width) : "");
  append(std::to_string(request.variables.size()));
  for (const auto& [name, value] : request.variables)
    append(name + "=" + value);
  for (const std::string& word : request.words)
    append(word);
  if (has_zero) return std::nullopt;
  return bytes;
}

std::optional<LocalRequest> decode_request(std::string_view bytes) {
  Taker taker(bytes);
  LocalRequest request;
  request.version = taker.take_text();
  request.folder = taker.take_text();
  request.reader.width = taker.take_number();
  request.reader.is_terminal = request.reader.width > 0;
  const int variables = taker.take_number();
  for (int at = 0; at < variables && !taker.failed(); ++at) {
    const std::string variable = taker.take_text();
    const std::size_t equals = variable.find('=');
    if (equals == std::string::npos) return std::nullopt;
    request.variables.emplace_back(variable.substr(0, equals), variable.substr(equals + 1));
  }
  while (!taker.at_end() && !taker.failed())
    request.words.push_back(taker.take_text());
  if (taker.failed()) return std::nullopt;
  return request;
}

std::string encode(const LocalReply& reply) {
  std::string bytes{reply.answered ? '\1' : '\0', static_cast<char>(reply.exit)};
  for (const auto& [stream, text] : reply.output) {
    bytes.push_back(stream == cli::Stream::out ? '\1' : '\2');
    append_length(bytes, text.size());
    bytes += text;
  }
  return bytes;
}

std::optional<LocalReply> decode_reply(std::string_view bytes) {
  Taker taker(bytes);
  LocalReply reply;
  reply.answered = taker.take_byte() == 1;
  reply.exit = taker.take_byte();
  while (!taker.at_end() && !taker.failed()) {
    const cli::Stream stream = taker.take_byte() == 1 ? cli::Stream::out : cli::Stream::err;
    reply.output.emplace_back(stream, taker.take(taker.take_length()));
  }
  if (taker.failed()) return std::nullopt;
  return reply;
}

bool send_message(int socket, std::string_view bytes) {
  std::string length;
  append_length(length, bytes.size());
  iovec parts[] = {{length.data(), length.size()},
                   {const_cast<char*>(bytes.data()), bytes.size()}};  // sendmsg only reads them
  msghdr message{};
  message.msg_iov = parts;
  message.msg_iovlen = 2;
  while (parts[0].iov_len + parts[1].iov_len > 0) {
    const ssize_t sent = ::sendmsg(socket, &message, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    auto left = static_cast<std::size_t>(sent);
    for (iovec& part : parts) {
      const std::size_t taken = std::min(left, part.iov_len);
      part.iov_base = static_cast<char*>(part.iov_base) + taken;
      part.iov_len -= taken;
      left -= taken;
    }
  }
  return true;
}

std::optional<std::string> receive_message(int socket, std::size_t most) {
  Length length = 0;
  if (!receive_exactly(socket, reinterpret_cast<char*>(&length), sizeof length))
    return std::nullopt;
  if (length > most) return std::nullopt;
  std::string bytes(length, '\0');
  if (!receive_exactly(socket, bytes.data(), bytes.size())) return std::nullopt;
  return bytes;
}

}  // namespace notesdb
