#include "index/index_file.h"

#include <cstring>
#include <utility>

#include "files/etag.h"

namespace notesdb {
namespace {

constexpr std::size_t alignment = 8;
constexpr std::string_view padding = std::string_view("\0\0\0\0\0\0\0", 7);

struct Header {
  char magic[8] = {'n', 'o', 't', 'e', 's', 'd', 'b', '\x1a'};
  std::uint32_t format = index_format;
  std::uint32_t sections = 0;
  std::uint64_t size = 0;
  std::uint64_t checksum = 0;
  std::uint64_t schema = 0;
};
static_assert(sizeof(Header) == 40);
constexpr std::size_t checked_from = offsetof(Header, schema);

struct Entry {
  std::uint32_t kind = 0;
  std::uint32_t column = 0;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};
static_assert(sizeof(Entry) == 24);

std::size_t aligned(std::size_t size) {
  return (size + alignment - 1) / alignment * alignment;
}

template <typename T>
std::string_view bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof(T)};
}

std::span<const Entry> entries_of(std::span<const char> bytes) {
  Header header;
  std::memcpy(&header, bytes.data(), sizeof(Header));
  return {reinterpret_cast<const Entry*>(bytes.data() + sizeof(Header)), header.sections};
}

bool is_whole(const MappedFile& file, Etag schema) {
  const std::span<const char> bytes = file.bytes();
  const Header expected;
  Header header;
  if (bytes.size() < sizeof(Header)) return false;
  std::memcpy(&header, bytes.data(), sizeof(Header));
  if (std::memcmp(header.magic, expected.magic, sizeof(header.magic)) != 0 ||
      header.format != index_format || header.size != bytes.size() ||
      header.schema != schema.hash || header.checksum != file.etag_from(checked_from).hash ||
      header.sections > (bytes.size() - sizeof(Header)) / sizeof(Entry)) {
    return false;
  }
  for (const Entry& entry : entries_of(bytes)) {
    if (entry.offset % alignment != 0 || entry.offset > bytes.size() ||
        entry.size > bytes.size() - entry.offset) {
      return false;
    }
  }
  return true;
}

}  // namespace

void IndexWriter::add(IndexSection kind, std::size_t column, std::string_view bytes) {
  parts_.push_back({kind, static_cast<std::uint32_t>(column), bytes});
}

void IndexWriter::add_text(IndexSection kind, std::string text) {
  texts_.push_back(std::move(text));
  add(kind, 0, texts_.back());
}

// The sections are written from where they lie: a copy of all would be most of what the command
// holds.
bool IndexWriter::write(const std::string& path, Etag schema) const {
  Header header;
  header.sections = static_cast<std::uint32_t>(parts_.size());
  header.schema = schema.hash;
  header.size = sizeof(Header) + parts_.size() * sizeof(Entry);
  std::string head(bytes_of(header));
  std::vector<std::string_view> pieces(1);
  for (const Part& part : parts_) {
    const std::size_t size = part.bytes.size();
    head += bytes_of(Entry{static_cast<std::uint32_t>(part.kind), part.column, header.size, size});
    header.size += aligned(size);
    pieces.push_back(part.bytes);
    pieces.push_back(padding.substr(0, aligned(size) - size));
  }
  EtagStream checked;
  checked.add(std::string_view(head).substr(checked_from));
  for (const std::string_view piece : pieces)
    checked.add(piece);
  header.checksum = checked.etag().hash;
  std::memcpy(head.data(), &header, sizeof(Header));
  pieces.front() = head;
  return write_cache_file(path, pieces);
}

std::shared_ptr<IndexFile> IndexFile::open(const std::string& path,
                                           Etag schema,
                                           std::string_view key) {
  auto file = MappedFile::open(path);
  if (!file || !is_whole(*file, schema)) return nullptr;
  auto index = std::make_shared<IndexFile>();
  index->file_ = std::move(file);
  // Two databases may share a file's name by chance.
  return index->text(IndexSection::key) == key ? index : nullptr;
}

std::span<char> IndexFile::section(IndexSection kind, std::size_t column) const {
  const std::span<char> bytes = file_->bytes();
  for (const Entry& entry : entries_of(bytes)) {
    if (entry.kind == static_cast<std::uint32_t>(kind) && entry.column == column) {
      return bytes.subspan(entry.offset, entry.size);
    }
  }
  return {};
}

void TextWriter::put(std::int64_t number) {
  out_ += bytes_of(number);
}

void TextWriter::put(std::string_view text) {
  put(static_cast<std::int64_t>(text.size()));
  out_ += text;
}

std::int64_t TextReader::number() {
  std::int64_t number = 0;
  if (rest_.size() < sizeof(number)) {
    is_whole_ = false;
    return 0;
  }
  std::memcpy(&number, rest_.data(), sizeof(number));
  rest_.remove_prefix(sizeof(number));
  return number;
}

std::string TextReader::text() {
  const auto size = static_cast<std::uint64_t>(number());
  if (size > rest_.size()) {
    is_whole_ = false;
    return "";
  }
  std::string text(rest_.substr(0, size));
  rest_.remove_prefix(size);
  return text;
}

}  // namespace notesdb
