// Vault: every file of a workspace as expressions see it: rows, other notes, attachments.
//
// All are looked at when it is made; of notes the front matter is read, and the body where links or
// tags are asked for. Folders that begin with a dot and node_modules are passed over. For one
// question, and one thread.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "expression/calendar.h"
#include "expression/value.h"
#include "files/file_system.h"
#include "note/link_names.h"

namespace notesdb {

class Vault;

class VaultFile : public expression::File {
 public:
  explicit VaultFile(const Vault& vault) : vault_(vault) {}

  const std::string& path() const override { return path_; }
  double size() const override { return static_cast<double>(key_.size); }
  expression::Date created() const override;
  expression::Date modified() const override;
  expression::Value tags() const override;
  expression::Value links() const override { return links_; }
  expression::Value embeds() const override { return embeds_; }
  expression::Value backlinks() const override;
  expression::Value property(std::string_view name) const override;
  expression::Value properties() const override { return properties_; }
  bool is_readable() const { return is_readable_; }

 private:
  friend class Vault;
  void read(std::string_view bytes, bool with_body, const expression::TimeZone& zone);
  void add_tags_of(const expression::Value& field);
  void add_tag(std::string_view tag);

  const Vault& vault_;
  std::string path_;
  StatKey key_;
  bool is_readable_ = true;
  std::vector<std::string> tags_;
  expression::Value links_ = expression::Value::list_of({});
  expression::Value embeds_ = expression::Value::list_of({});
  expression::Value properties_ = expression::Value::object_of({});
};

enum class Bodies { read, ignored };

class Vault : public expression::Vault {
 public:
  // What cannot be listed is passed over; a note that cannot be read is there without properties.
  Vault(const FileSystem& files, Bodies bodies, const expression::TimeZone& zone);

  // In the natural order of their paths.
  const std::vector<std::shared_ptr<VaultFile>>& files() const { return files_; }
  std::shared_ptr<VaultFile> at(std::string_view path) const;

  // As links of an Obsidian vault lead (note/link_names.h).
  expression::FilePointer find(std::string_view target, std::string_view source) const override;

 private:
  friend class VaultFile;
  void walk(const FileSystem& files,
            const std::string& folder,
            Bodies bodies,
            const expression::TimeZone& zone);
  const std::vector<const VaultFile*>& sources_of(const VaultFile& file) const;

  std::vector<std::shared_ptr<VaultFile>> files_;
  std::unordered_map<std::string, std::size_t> by_path_;
  LinkNames names_;
  mutable std::unordered_map<std::string, std::shared_ptr<VaultFile>> found_;
  mutable std::unordered_map<const expression::File*, std::vector<const VaultFile*>> sources_;
  mutable bool knows_sources_ = false;
};

}  // namespace notesdb
