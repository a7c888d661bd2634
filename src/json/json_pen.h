// JsonPen: writes JSON after the end of a text, piece by piece, for answers that would only be
// made as a Value to be written and thrown away.
//
//   JsonPen pen(text);
//   pen.put(R"({"id":)");
//   pen.put_text(id);
//   pen.put(R"(,"fields":)");
//   pen.put_value(fields);
//   pen.put('}');
//   pen.finish();             // now the text is whole
//
// A text or value is written as to_json writes it (json_value.h); whether the pieces make JSON is
// the caller's affair.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "core/value.h"

namespace notesdb {

class JsonPen {
 public:
  // The text must outlive the pen, and is nobody else's until then.
  explicit JsonPen(std::string& out) : out_(out), begun_(out.size()), used_(out.size()) {}
  ~JsonPen() { finish(); }
  JsonPen(const JsonPen&) = delete;
  JsonPen& operator=(const JsonPen&) = delete;

  void put(char c) {
    *room(1) = c;
    ++used_;
  }
  void put(std::string_view text) {
    std::copy(text.begin(), text.end(), room(text.size()));
    used_ += text.size();
  }
  // Between quotation marks as it stands: nothing in it needs an escape.
  void put_quoted(std::string_view text) {
    char* const place = room(text.size() + 2);
    place[0] = '"';
    std::copy(text.begin(), text.end(), place + 1);
    place[text.size() + 1] = '"';
    used_ += text.size() + 2;
  }
  void put_text(std::string_view text);
  void put_value(const Value& value);

  // Makes room for so much more, where it is known before it comes.
  void expect(std::size_t bytes) { room(bytes); }
  // How long the text is.
  std::size_t size() const { return used_; }
  // Takes back what was written last.
  void shorten(std::size_t size) { used_ = size; }
  void finish() { out_.resize(used_); }

 private:
  // A string asks for each letter whether there is room, and is too much code to ask in place; this
  // has room for more than comes next, nearly always.
  char* room(std::size_t bytes) {
    if (out_.size() - used_ < bytes) grow(bytes);
    return out_.data() + used_;
  }
  void grow(std::size_t bytes);

  std::string& out_;
  std::size_t begun_;
  std::size_t used_;
};

}  // namespace notesdb
