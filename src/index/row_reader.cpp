#include "index/row_reader.h"

#include <algorithm>

namespace notesdb {

RowReader::RowReader(const Schema& schema) : key_lists_(schema.column_ids()) {
  for (const Column& column : schema.columns)
    dictionaries_.emplace_back(column);
}

RowReader RowReader::copy(const Schema& schema) const {
  RowReader copied(schema);
  copied.dictionaries_ = dictionaries_;
  for (std::size_t column = 0; column < dictionaries_.size(); ++column)
    copied.dictionaries_[column].part_from(dictionaries_[column]);
  copied.key_lists_ = key_lists_;
  return copied;
}

std::optional<Error> RowReader::read(std::string_view bytes, NoteFormat format, RowCodes& row) {
  row.codes.assign(dictionaries_.size(), 0);
  row.broken = 0;
  const auto front = split_front_matter(bytes, format);
  if (!front) return front.error();
  if (front->kind == FrontMatterKind::none) {
    row.keys = key_lists_.add({});
    return std::nullopt;
  }
  const auto fields = bytes.substr(front->begin, front->end - front->begin);
  if (front->kind != FrontMatterKind::yaml || !scanner_.scan(fields)) {
    return read_fully(bytes, format, row);
  }
  read_scanned(row);
  return std::nullopt;
}

void RowReader::read_scanned(RowCodes& row) {
  const auto fields = scanner_.fields();
  row.keys = keys_of_scanned();
  const auto columns = key_lists_.columns(row.keys);
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const std::uint32_t column = columns[i];
    if (column == KeyLists::no_column) continue;
    row.codes[column] = dictionaries_[column].add(scanner_, fields[i]);
  }
}

// Rows of one shape have one list of keys, which is looked up for the first of them.
std::uint32_t RowReader::keys_of_scanned() {
  const std::uint32_t shape = scanner_.shape();
  const bool has_place = shape != KeyTree::no_place;
  if (has_place && shape < key_lists_by_shape_.size() && key_lists_by_shape_[shape] != 0) {
    return key_lists_by_shape_[shape];
  }
  keys_.clear();
  for (const ScannedField& field : scanner_.fields())
    keys_.push_back(field.key);
  const std::uint32_t code = key_lists_.add(keys_);
  if (has_place) {
    if (shape >= key_lists_by_shape_.size()) key_lists_by_shape_.resize(shape + 1);
    key_lists_by_shape_[shape] = code;
  }
  return code;
}

std::optional<Error> RowReader::read_fully(std::string_view bytes,
                                           NoteFormat format,
                                           RowCodes& row) {
  const auto note = Note::parse(std::string(bytes), format);
  if (!note) return note.error();
  keys_.clear();
  for (const NoteField& field : note->fields())
    keys_.push_back(field.key);
  row.keys = key_lists_.add(keys_);
  row.broken = static_cast<std::uint32_t>(note->issues().size());
  const auto columns = key_lists_.columns(row.keys);
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    const NoteField& field = note->fields()[i];
    if (columns[i] == KeyLists::no_column || !field.readable) continue;
    row.codes[columns[i]] = dictionaries_[columns[i]].add(field.node);
  }
  return std::nullopt;
}

std::size_t RowReader::memory() const {
  std::size_t bytes = 0;
  for (const Dictionary& dictionary : dictionaries_)
    bytes += dictionary.memory();
  return bytes;
}

bool RowReader::map(const IndexFile& index) {
  for (std::size_t column = 0; column < dictionaries_.size(); ++column) {
    const Dictionary::EncodedValues encoded_values{
        index.values<char>(IndexSection::encoded_values, column),
        index.values<std::uint64_t>(IndexSection::ends, column),
        index.values<std::uint8_t>(IndexSection::fits, column)};
    const std::uint64_t end = encoded_values.ends.empty() ? 0 : encoded_values.ends.back();
    if (encoded_values.ends.size() != encoded_values.fits.size() ||
        end != encoded_values.bytes.size()) {
      return false;
    }
    dictionaries_[column].map(encoded_values);
  }
  TextReader lists(index.text(IndexSection::key_lists));
  const std::int64_t count = lists.number();
  for (std::int64_t i = 0; i < count && lists.is_whole(); ++i) {
    std::vector<std::string> keys;
    const std::int64_t size = lists.number();
    for (std::int64_t k = 0; k < size && lists.is_whole(); ++k)
      keys.push_back(lists.text());
    keys_.assign(keys.begin(), keys.end());
    key_lists_.add(keys_);
  }
  return lists.is_whole();
}

void RowReader::save(IndexWriter& writer) {
  for (std::size_t column = 0; column < dictionaries_.size(); ++column) {
    const Dictionary::EncodedValues& encoded_values = dictionaries_[column].own();
    writer.add(IndexSection::encoded_values, column, encoded_values.bytes);
    writer.add(IndexSection::ends, column, encoded_values.ends);
    writer.add(IndexSection::fits, column, encoded_values.fits);
  }
  TextWriter lists;
  lists.put(std::int64_t{key_lists_.size()});
  for (std::uint32_t list = 1; list <= key_lists_.size(); ++list) {
    lists.put(static_cast<std::int64_t>(key_lists_.keys(list).size()));
    for (const std::string& key : key_lists_.keys(list))
      lists.put(std::string_view(key));
  }
  writer.add_text(IndexSection::key_lists, lists.take());
}

void RowReader::own() {
  for (Dictionary& dictionary : dictionaries_)
    dictionary.own();
}

}  // namespace notesdb
