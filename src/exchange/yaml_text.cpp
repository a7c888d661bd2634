#include "exchange/yaml_text.h"

#include "yaml/writer.h"

namespace notesdb {

namespace {

class YamlWriter {
 public:
  std::string take() && { return std::move(out_); }

  void write(const Value& value, std::size_t level) {
    if (value.is_map() && !value.map().empty()) return write_map(value.map(), level);
    if (value.is_list() && !value.list().empty()) return write_list(value.list(), level);
    out_ += one_line(value) + "\n";
  }

 private:
  static std::string one_line(const Value& value) {
    if (value.is_map()) return "{}";
    if (value.is_list()) return "[]";
    if (value.is_null()) return "null";
    return write_scalar(value, nullptr, NodeStyle::plain, ScalarPlace::block);
  }

  static bool is_block(const Value& value) {
    return (value.is_map() && !value.map().empty()) || (value.is_list() && !value.list().empty());
  }

  void write_map(const Map& map, std::size_t level) {
    for (std::size_t i = 0; i < map.size(); ++i) {
      if (i > 0) indent(level);
      out_ += write_text(map[i].key, NodeStyle::plain, ScalarPlace::key) + ":";
      if (is_block(map[i].value)) {
        out_ += "\n";
        indent(level + 1);
        write(map[i].value, level + 1);
      } else {
        out_ += " ";
        write(map[i].value, level);
      }
    }
  }

  void write_list(const List& list, std::size_t level) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (i > 0) indent(level);
      out_ += "- ";
      write(list[i], level + 1);
    }
  }

  void indent(std::size_t level) { out_.append(level * 2, ' '); }

  std::string out_;
};

}  // namespace

std::string yaml_text(const Value& value) {
  YamlWriter writer;
  writer.write(value, 0);
  return std::move(writer).take();
}

}  // namespace notesdb
