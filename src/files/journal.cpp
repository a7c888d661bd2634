#include "files/journal.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <iterator>
#include <string>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/text.h"
#include "files/change_id.h"

namespace notesdb {

namespace {

constexpr std::string_view head_tag = "store\t";
constexpr std::size_t columns = 8;
constexpr std::size_t columns_before_sizes = 7;  // of a journal that an earlier release began
constexpr std::size_t column_change = 0;
constexpr std::size_t column_step = 1;
constexpr std::size_t column_kind = 2;
constexpr std::size_t column_old = 3;
constexpr std::size_t column_new = 4;
constexpr std::size_t column_path = 5;
constexpr std::size_t column_new_path = 6;
constexpr std::size_t column_size = 7;
constexpr std::uint64_t max_journal = std::uint64_t{256} << 20U;
constexpr std::string_view no_etag = "-";

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
  return etag ? to_text(*etag) : std::string(no_etag);
}

template <typename Number>
std::optional<Number> parse_number(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<JournalEntry> parse_step(const std::vector<std::string_view>& parts) {
  if (parts.size() != columns && parts.size() != columns_before_sizes) return std::nullopt;
  JournalEntry step;
  step.change = parts[column_change];
  const std::optional<std::int64_t> time = time_of_change(step.change);
  const std::optional<StepKind> kind = parse_step_kind(parts[column_kind]);
  const auto number = parse_number<std::size_t>(parts[column_step]);
  if (!time || !kind || !number) return std::nullopt;
  step.step = *number;
  step.time_us = *time;
  step.kind = *kind;
  step.old_etag = parse_etag(parts[column_old]);
  step.new_etag = parse_etag(parts[column_new]);
  step.path = unescaped(parts[column_path]);
  step.new_path = unescaped(parts[column_new_path]);
  if (parts.size() == columns)
    step.size = parse_number<std::uint64_t>(parts[column_size]).value_or(0);
  if (step.kind == StepKind::replace || step.kind == StepKind::remove) {
    step.file = kept_name(step.change, step.step);
  }
  return step;
}

// What the lines about a whole change say, of which `takes_back` was the word of earlier releases.
void add_line(const std::vector<std::string_view>& parts, PastChange& change) {
  if (parts.size() == 3) {
    const std::string_view word = parts[1];
    if (word == "what") change.what = unescaped(parts[2]);
    if (word != "undoes" && word != "redoes" && word != "takes_back") return;
    change.takes_back = parts[2];
    change.is_redo = word == "redoes";
  } else if (std::optional<JournalEntry> step = parse_step(parts)) {
    change.steps.push_back(std::move(*step));
  }
}

std::string head_lines(const JournalEntry& first) {
  std::string lines;
  if (!first.what.empty()) lines += first.change + "\twhat\t" + escaped(first.what) + "\n";
  if (!first.takes_back.empty()) {
    lines += first.change + (first.is_redo ? "\tredoes\t" : "\tundoes\t") + first.takes_back + "\n";
  }
  return lines;
}

}  // namespace

std::string kept_name(std::string_view change, std::size_t step) {
  return std::string(change) + "." + std::to_string(step);
}

std::string head_line(std::string_view word) {
  return std::string(head_tag) + std::string(word) + "\n";
}

std::string_view word_at_head(std::string_view text) {
  if (!text.starts_with(head_tag)) return {};
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) return {};
  return text.substr(head_tag.size(), end - head_tag.size());
}

bool begins_with_word(int file, std::string_view word) {
  const std::string wanted = head_line(word);
  std::string found(wanted.size(), '\0');
  const ssize_t got = ::pread(file, found.data(), found.size(), 0);
  return !word.empty() && got == static_cast<ssize_t>(wanted.size()) && found == wanted;
}

std::uint64_t blocks_of(std::uint64_t size) {
  constexpr std::uint64_t block = 4'096;
  return (size + block - 1) / block * block;
}

std::string to_lines(const std::vector<JournalEntry>& steps) {
  std::string lines;
  if (!steps.empty()) lines = head_lines(steps.front());
  for (const JournalEntry& step : steps) {
    lines += step.change + "\t" + std::to_string(step.step) + "\t" +
             std::string(name_of(step.kind)) + "\t" + etag_or_dash(step.old_etag) + "\t" +
             etag_or_dash(step.new_etag) + "\t" + escaped(step.path) + "\t" +
             escaped(step.new_path) + "\t" + std::to_string(step.size) + "\n";
  }
  return lines;
}

std::string to_void_line(std::string_view change) {
  return std::string(change) + "\tvoid\n";
}

std::string to_kept_line(std::string_view change, const TrashSize& size) {
  return std::string(change) + "\tkept\t" + std::to_string(size.bytes) + "\t" +
         std::to_string(size.collected) + "\n";
}

std::optional<TrashSize> find_trash_size(std::string_view lines) {
  constexpr std::string_view mark = "\tkept\t";
  const std::size_t at = lines.rfind(mark);
  const std::size_t end = at == std::string_view::npos ? at : lines.find('\n', at);
  if (end == std::string_view::npos) return std::nullopt;
  const auto numbers = split(lines.substr(at + mark.size(), end - at - mark.size()), '\t');
  if (numbers.size() != 2) return std::nullopt;
  const auto bytes = parse_number<std::uint64_t>(numbers[0]);
  const auto collected = parse_number<std::uint64_t>(numbers[1]);
  if (!bytes || !collected) return std::nullopt;
  return TrashSize{*bytes, *collected};
}

std::vector<JournalEntry> parse_lines(std::string_view text) {
  std::vector<PastChange> changes;
  JournalReader reader(text);
  while (std::optional<PastChange> change = reader.next())
    changes.push_back(std::move(*change));
  std::vector<JournalEntry> steps;
  for (auto change = changes.rbegin(); change != changes.rend(); ++change)
    std::ranges::move(change->steps, std::back_inserter(steps));
  return steps;
}

int read_journal(int displaced, std::string_view word, std::string& text, std::uint64_t* begin) {
  text.clear();
  if (begin != nullptr) *begin = 0;
  const Descriptor file(
      ::openat(displaced, journal_name.data(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!file) return errno == ENOENT ? 0 : errno;
  if (!begins_with_word(file.get(), word)) return 0;
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) return errno;
  const auto length = static_cast<std::uint64_t>(status.st_size);
  if (length <= max_journal) return read_whole(file.get(), max_journal, text, length);
  text.resize(max_journal);
  if (begin != nullptr) *begin = length - max_journal;
  const ssize_t got =
      ::pread(file.get(), text.data(), text.size(), static_cast<off_t>(length - max_journal));
  if (got < 0) return errno;
  text.resize(static_cast<std::size_t>(got));
  return 0;
}

std::optional<JournalReader::Lines> JournalReader::next_lines() {
  Lines found;
  while (!rest_.empty()) {
    std::string_view line = rest_;
    if (line.ends_with('\n')) line.remove_suffix(1);
    const std::size_t begin = line.rfind('\n') + 1;  // 0 where there is none
    line.remove_prefix(begin);
    const std::string_view id = line.substr(0, line.find('\t'));
    if (!found.lines.empty() && id != found.id) break;
    rest_ = rest_.substr(0, begin);
    found.id = id;
    found.lines.push_back(line);
  }
  if (found.lines.empty()) return std::nullopt;
  return found;
}

std::optional<PastChange> JournalReader::next() {
  while (const std::optional<Lines> found = next_lines()) {
    const std::optional<std::int64_t> time = time_of_change(found->id);
    if (!time) continue;
    PastChange change{std::string(found->id), *time, "", "", false, {}};
    for (auto line = found->lines.rbegin(); line != found->lines.rend(); ++line) {
      const std::vector<std::string_view> parts = split(*line, '\t');
      if (parts.size() == 2 && parts[1] == "void") voided_.insert(found->id);
      add_line(parts, change);
    }
    if (change.steps.empty() || is_void(found->id)) continue;
    change.steps.front().what = change.what;
    change.steps.front().takes_back = change.takes_back;
    change.steps.front().is_redo = change.is_redo;
    return change;
  }
  return std::nullopt;
}

std::optional<PastChange> JournalReader::find(std::string_view id) {
  std::string_view before = rest_;
  while (const std::optional<Lines> found = next_lines()) {
    if (found->id == id) {
      // Read again, with its own lines alone in view: a change that is void comes back as nothing.
      const std::size_t begin = rest_.size();
      JournalReader own(before.substr(begin, before.size() - begin));
      own.voided_ = voided_;
      if (std::optional<PastChange> change = own.next()) return change;
      voided_.insert(own.voided_.begin(), own.voided_.end());
    }
    before = rest_;
  }
  return std::nullopt;
}

namespace {

// Enough for the last `kept` line and a few lines about changes that failed after it.
constexpr std::uint64_t end_length = 512;

std::string read_at(int file, std::uint64_t at, std::uint64_t length) {
  std::string text(length, '\0');
  const ssize_t got = ::pread(file, text.data(), text.size(), static_cast<off_t>(at));
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return text;
}

void set_aside_foreign(int displaced) {
  constexpr int random_part = 6;
  const std::string name = "foreign-journal." + random_letters(random_part);
  ::renameat(displaced, journal_name.data(), displaced, name.c_str());
}

}  // namespace

// Which file is the journal now, and how long it is.
int JournalFile::look(int displaced, std::string_view word) {
  struct stat status {};
  if (file_ && ::fstatat(displaced, journal_name.data(), &status, AT_SYMLINK_NOFOLLOW) == 0 &&
      status.st_ino == there_.inode && status.st_dev == there_.device) {
    there_ = to_file_stat(status).key;
    return 0;
  }
  if (const int error = open(displaced)) return error;
  if (there_.size == 0 || begins_with_word(file_.get(), word)) return 0;
  set_aside_foreign(displaced);
  return open(displaced);
}

int JournalFile::open(int displaced) {
  struct stat status {};
  constexpr mode_t owner_only = 0600;
  oldest_us_.reset();
  trash_.reset();
  length_ = 0;
  file_ = Descriptor(::openat(displaced,
                              journal_name.data(),
                              O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC,
                              owner_only));
  if (!file_ || ::fstat(file_.get(), &status) != 0) return errno;
  there_ = to_file_stat(status).key;
  return 0;
}

std::optional<TrashSize> JournalFile::trash_size(int displaced, std::string_view word) {
  return look(displaced, word) == 0 ? trash_size() : std::nullopt;
}

std::optional<TrashSize> JournalFile::trash_size() {
  if (there_.size == 0) return TrashSize{};
  if (trash_ && trash_at_ == there_.size) return trash_;
  const std::uint64_t begin = there_.size - std::min(there_.size, end_length);
  trash_ = find_trash_size(read_at(file_.get(), begin, there_.size - begin));
  trash_at_ = there_.size;
  // One without any change, but perhaps a line that says whose it is.
  if (!trash_ && there_.size <= end_length && !oldest_us()) trash_ = TrashSize{};
  return trash_;
}

int JournalFile::append(int displaced,
                        std::string_view word,
                        std::string_view lines,
                        std::string_view change,
                        std::uint64_t bytes) {
  if (const int error = look(displaced, word)) return error;
  std::optional<TrashSize> size = trash_size();
  if (!size) return append_there(word, lines);
  size->bytes += bytes;
  const int error = append_there(word, std::string(lines) + to_kept_line(change, *size));
  if (error != 0) return error;
  trash_ = size;
  trash_at_ = length_;
  return 0;
}

int JournalFile::append(int displaced, std::string_view word, std::string_view lines) {
  if (const int error = look(displaced, word)) return error;
  return append_there(word, lines);
}

int JournalFile::append_there(std::string_view word, std::string_view lines) {
  // A line of others that was cut short must not swallow ours.
  const bool is_cut =
      there_.size > 0 && there_.size != length_ && read_at(file_.get(), there_.size - 1, 1) != "\n";
  length_ = 0;
  std::string whole = there_.size == 0 ? head_line(word) : is_cut ? "\n" : "";
  whole += lines;
  if (const int error = write_whole(file_.get(), whole)) return error;
  length_ = there_.size + whole.size();
  return 0;
}

std::optional<std::int64_t> JournalFile::oldest_us() {
  if (oldest_us_ || !file_) return oldest_us_;
  const std::string begin = read_at(file_.get(), 0, end_length);
  std::string_view rest = begin;
  while (!oldest_us_ && !rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    oldest_us_ = time_of_change(line.substr(0, line.find('\t')));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
  }
  return oldest_us_;
}

}  // namespace notesdb
