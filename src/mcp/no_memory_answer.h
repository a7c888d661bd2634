// NoMemoryAnswer: the answer to a request for which there was not enough memory, made without
// asking for any.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "mcp/json.h"

namespace notesdb::mcp {

class NoMemoryAnswer {
 public:
  // An id that is longer than there is room for is told as null.
  explicit NoMemoryAnswer(const Json& id);

  // JSON without a line break; lives as long as the answer.
  std::string_view text() const { return {text_.data(), size_}; }

 private:
  bool add(std::string_view text);
  bool add_id(const Json& id);
  bool add_quoted(std::string_view text);

  static constexpr std::size_t room = 1024;
  std::array<char, room> text_{};
  std::size_t size_ = 0;
};

}  // namespace notesdb::mcp
