#include "database/row_cache.h"

#include <algorithm>

#include "database/stat_trust.h"

namespace notesdb {

RowCache::RowCache(const FileSystem& files, std::string database_id, bool remember)
    : files_(files), id_(std::move(database_id)), remember_(remember) {}

bool RowCache::is_schema_unchanged() const {
  if (!remember_ || !folder_ || !schema_sure_) return false;
  // _schema.md comes before _schema.yaml, so one that appears there takes its place.
  const auto path = DatabaseFolder::find_schema_file(files_, id_);
  if (path != folder_->schema_path()) return false;
  const auto found = files_.stat(*path);
  return found && found->key == folder_->schema_key();
}

Result<std::shared_ptr<const DatabaseFolder>> RowCache::folder() {
  if (is_schema_unchanged()) return folder_;
  const std::int64_t begun_at = clock_ns();
  auto read = DatabaseFolder::read(files_, id_);
  if (!read) {
    folder_.reset();
    table_.reset();
    return read;
  }
  schema_sure_ = is_sure((*read)->schema_key(), begun_at);
  const bool same = remember_ && folder_ && folder_->schema_etag() == (*read)->schema_etag() &&
                    folder_->schema_path() == (*read)->schema_path();
  // The table refers to the folder it was made with; the same bytes mean the same.
  if (same && !schema_sure_) return folder_;
  if (!same) table_.reset();
  folder_ = std::move(*read);
  return folder_;
}

bool RowCache::are_names_unchanged() const {
  if (!table_ || !names_sure_ || table_->wants_listing()) return false;
  return std::all_of(folders_.begin(), folders_.end(), [&](const RowListing::Folder& listed) {
    const auto found = files_.stat(folder_->full_path(listed.path));
    return found && found->key == listed.key;
  });
}

Result<void> RowCache::list() {
  const std::int64_t begun_at = clock_ns();
  auto listing = folder_->list_rows(files_);
  if (!listing) return listing.error();
  table_->take_listing(*listing);
  names_sure_ = std::all_of(listing->folders.begin(), listing->folders.end(), [&](const auto& f) {
    return is_sure(f.key, begun_at);
  });
  folders_ = std::move(listing->folders);
  listing_issues_ = std::move(listing->issues);
  return {};
}

Result<const RowTable*> RowCache::rows() {
  if (!remember_) table_.reset();
  if (!are_names_unchanged()) {
    if (!table_) table_ = std::make_unique<RowTable>(files_, folder_);
    if (auto done = list(); !done) return done.error();
  }
  if (auto done = table_->refresh(); !done) return done.error();
  return static_cast<const RowTable*>(table_.get());
}

}  // namespace notesdb
