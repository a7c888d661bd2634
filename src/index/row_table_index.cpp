#include <algorithm>

#include "index/row_table.h"

namespace notesdb {
namespace {

void put_key(const StatKey& key, TextWriter& out) {
  out.put(static_cast<std::int64_t>(key.size));
  out.put(key.mtime_ns);
  out.put(key.ctime_ns);
  out.put(static_cast<std::int64_t>(key.inode));
  out.put(static_cast<std::int64_t>(key.device));
}

StatKey take_key(TextReader& in) {
  StatKey key;
  key.size = static_cast<std::uint64_t>(in.number());
  key.mtime_ns = in.number();
  key.ctime_ns = in.number();
  key.inode = static_cast<std::uint64_t>(in.number());
  key.device = static_cast<std::uint64_t>(in.number());
  return key;
}

}  // namespace

bool RowTable::map(std::shared_ptr<IndexFile> index) {
  paths_ = Array<char>(index->values<char>(IndexSection::paths));
  facts_ = Array<RowFacts>(index->values<RowFacts>(IndexSection::facts));
  for (std::size_t column = 0; column < codes_.size(); ++column) {
    codes_[column] =
        Array<std::uint32_t>(index->values<std::uint32_t>(IndexSection::codes, column));
    if (codes_[column].size() != facts_.size()) return false;
  }
  index_ = std::move(index);
  return reader_.map(*index_);
}

void RowTable::save(IndexWriter& writer, TextWriter& state) {
  writer.add(IndexSection::paths, 0, paths_.span());
  writer.add(IndexSection::facts, 0, facts_.span());
  for (std::size_t column = 0; column < codes_.size(); ++column) {
    writer.add(IndexSection::codes, column, codes_[column].span());
  }
  reader_.save(writer);
  state.put(static_cast<std::int64_t>(unreadable_.size()));
  for (const auto& [path, unreadable] : unreadable_) {
    state.put(std::string_view(path));
    put_key(unreadable.key, state);
    state.put(std::int64_t{unreadable.sure});
    put_issue(unreadable.issue, state);
  }
}

bool RowTable::load_state(TextReader& state) {
  const std::int64_t count = state.number();
  for (std::int64_t i = 0; i < count && state.is_whole(); ++i) {
    const std::string path = state.text();
    Unreadable unreadable;
    unreadable.key = take_key(state);
    unreadable.sure = state.number() != 0;
    unreadable.issue = take_issue(state);
    unreadable_.emplace(path, std::move(unreadable));
  }
  return state.is_whole();
}

void RowTable::own() {
  is_own_ = true;
  if (!index_) return;
  paths_.own();
  facts_.own();
  for (auto& column : codes_)
    column.own();
  reader_.own();
  index_.reset();
}

void put_issue(const Issue& issue, TextWriter& out) {
  out.put(std::string_view(issue.path));
  out.put(std::int64_t{issue.line});
  out.put(std::int64_t{issue.column});
  out.put(std::int64_t{issue.severity == Severity::warning});
  out.put(std::string_view(issue.rule));
  out.put(std::string_view(issue.message));
  out.put(std::string_view(issue.field));
}

Issue take_issue(TextReader& in) {
  Issue issue;
  issue.path = in.text();
  issue.line = static_cast<std::uint32_t>(in.number());
  issue.column = static_cast<std::uint32_t>(in.number());
  issue.severity = in.number() != 0 ? Severity::warning : Severity::error;
  issue.rule = in.text();
  issue.message = in.text();
  issue.field = in.text();
  return issue;
}

void put_folder(const RowListing::Folder& folder, TextWriter& out) {
  out.put(std::string_view(folder.path));
  put_key(folder.key, out);
}

RowListing::Folder take_folder(TextReader& in) {
  RowListing::Folder folder;
  folder.path = in.text();
  folder.key = take_key(in);
  return folder;
}

}  // namespace notesdb
