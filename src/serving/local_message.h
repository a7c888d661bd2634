// Local message: what a command and a server on the same machine say to each other: one request,
// one reply, over a stream socket that is then closed.
//
//   every message   its length in 4 bytes, in this machine's order, then as many bytes
//   request         texts, each ended by a zero byte: the version of notesdb, the current folder,
//                   the width of the terminal (empty: none), how many variables, NAME=VALUE ...,
//                   then the words of the command line
//   reply           how it went in 1 byte: 0 ask the files, 1 answered; the exit status in 1 byte;
//                   then per piece of output: 1 byte for the stream (1 output, 2 error), 4 for its
//                   length, the text
//
// A message that is cut off, too long or invalid is none at all: reading is strict and gives
// nothing. Both sides are the same release or do not talk, so the shape may change freely.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/console.h"

namespace notesdb {

struct LocalRequest {
  std::string version = {};
  std::string folder = {};  // where the command runs
  cli::Reader reader = {};  // of its output
  std::vector<std::pair<std::string, std::string>> variables = {};
  std::vector<std::string> words = {};  // without the program's name
};

struct LocalReply {
  bool answered = false;  // false: the server cannot, or should not; nothing was printed
  int exit = 0;
  std::vector<std::pair<cli::Stream, std::string>> output = {};  // in the order of writing
};

// Empty where a text holds a zero byte.
std::optional<std::string> encode(const LocalRequest& request);
std::string encode(const LocalReply& reply);
std::optional<LocalRequest> decode_request(std::string_view bytes);
std::optional<LocalReply> decode_reply(std::string_view bytes);

constexpr std::size_t max_request_bytes = std::size_t{1} << 20;
constexpr std::size_t max_reply_bytes = std::size_t{1} << 30;

// False, or nothing, where the other side went away, takes longer than its socket allows, or wants
// to say more than `most` bytes.
bool send_message(int socket, std::string_view bytes);
std::optional<std::string> receive_message(int socket, std::size_t most);

}  // namespace notesdb
