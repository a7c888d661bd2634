#include "files/journal.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <map>
#include <set>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/change_id.h"

namespace notesdb {
namespace {

constexpr std::size_t columns = 7;
constexpr std::size_t column_change = 0;
constexpr std::size_t column_step = 1;
constexpr std::size_t column_kind = 2;
constexpr std::size_t column_old = 3;
constexpr std::size_t column_new = 4;
constexpr std::size_t column_path = 5;
constexpr std::size_t column_new_path = 6;
constexpr std::uint64_t longest_journal = std::uint64_t{64} << 20U;

std::string escaped(std::string_view path) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7F && c != '\\') {
      text += c;
    } else {
      text += "\\x";
      text += digits[byte >> 4U];
      text += digits[byte & 0xFU];
    }
  }
  return text;
}

std::string unescaped(std::string_view text) {
  constexpr std::size_t escape_length = 4;
  std::string path;
  for (std::size_t at = 0; at < text.size(); ++at) {
    unsigned byte = 0;
    if (text[at] == '\\' && at + escape_length <= text.size()) {
      std::from_chars(text.data() + at + 2, text.data() + at + escape_length, byte, 16);
      path += static_cast<char>(byte);
      at += escape_length - 1;
    } else {
      path += text[at];
    }
  }
  return path;
}

std::string etag_or_dash(const std::optional<Etag>& etag) {
  return etag ? to_text(*etag) : "-";
}

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(at);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::optional<Kept> parse_step(const std::vector<std::string_view>& parts) {
  if (parts.size() != columns) return std::nullopt;
  Kept step;
  step.change = parts[column_change];
  const std::optional<std::int64_t> time = time_of_change(step.change);
  const std::optional<StepKind> kind = parse_step_kind(parts[column_kind]);
  const std::string_view number = parts[column_step];
  const auto [end, error] =
      std::from_chars(number.data(), number.data() + number.size(), step.step);
  if (!time || !kind || error != std::errc() || end != number.data() + number.size()) {
    return std::nullopt;
  }
  step.time_us = *time;
  step.kind = *kind;
  step.old_etag = parse_etag(parts[column_old]);
  step.new_etag = parse_etag(parts[column_new]);
  step.path = unescaped(parts[column_path]);
  step.new_path = unescaped(parts[column_new_path]);
  if (step.kind == StepKind::replace || step.kind == StepKind::remove) {
    step.file = kept_name(step.change, step.step);
  }
  return step;
}

}  // namespace

std::string kept_name(std::string_view change, std::size_t step) {
  return std::string(change) + "." + std::to_string(step);
}

std::string to_lines(const std::vector<Kept>& steps) {
  std::string lines;
  std::string_view change;
  for (const Kept& step : steps) {
    if (step.change != change && !step.takes_back.empty())
      lines += step.change + "\ttakes_back\t" + step.takes_back + "\n";
    change = step.change;
    lines += step.change + "\t" + std::to_string(step.step) + "\t" +
             std::string(name_of(step.kind)) + "\t" + etag_or_dash(step.old_etag) + "\t" +
             etag_or_dash(step.new_etag) + "\t" + escaped(step.path) + "\t" +
             escaped(step.new_path) + "\n";
  }
  return lines;
}

std::string to_void_line(std::string_view change) {
  return std::string(change) + "\tvoid\n";
}

std::vector<Kept> parse_lines(std::string_view text) {
  std::vector<Kept> steps;
  std::set<std::string, std::less<>> voided;
  std::map<std::string, std::string, std::less<>> taken_back;  // by the change that did it
  for (const std::string_view line : split(text, '\n')) {
    const std::vector<std::string_view> parts = split(line, '\t');
    if (parts.size() == 2 && parts[1] == "void") voided.emplace(parts[0]);
    if (parts.size() == 3 && parts[1] == "takes_back") taken_back.emplace(parts[0], parts[2]);
    if (std::optional<Kept> step = parse_step(parts)) steps.push_back(std::move(*step));
  }
  for (Kept& step : steps) {
    const auto found = taken_back.find(step.change);
    if (found != taken_back.end()) step.takes_back = found->second;
  }
  std::erase_if(steps, [&](const Kept& step) { return voided.count(step.change) > 0; });
  return steps;
}

int read_journal(int displaced, std::vector<Kept>& steps) {
  steps.clear();
  const Descriptor file(
      ::openat(displaced, journal_name.data(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!file) return errno == ENOENT ? 0 : errno;
  std::string text;
  const int error = read_whole(file.get(), longest_journal, text);
  if (error == 0) steps = parse_lines(text);
  return error;
}

}  // namespace notesdb
