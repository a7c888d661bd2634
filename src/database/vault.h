// Vault: every file of a workspace as expressions see it: rows, other notes, attachments.
//
// All are listed when it is made. Of rows the index knows the fields, and a file is read only where
// more than columns is asked for; of other notes the front matter is read, and the body where links
// or tags are asked for. Either way a field is what stands in the file, whatever the type of its
// column. Folders that begin with a dot and node_modules are passed over. For one question, and one
// thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/etag.h"
#include "expression/calendar.h"
#include "expression/value.h"
#include "files/file_system.h"
#include "note/link_names.h"

namespace notesdb {

class Snapshot;
class Vault;
class VaultRows;

class VaultFile : public expression::File {
 public:
  explicit VaultFile(const Vault& vault) : vault_(vault) {}

  const std::string& path() const override { return path_; }
  double size() const override { return static_cast<double>(key_.size); }
  expression::Date created() const override;
  expression::Date modified() const override;
  expression::Value tags() const override;
  expression::Value links() const override { return text().links; }
  expression::Value embeds() const override { return text().embeds; }
  expression::Value backlinks() const override;
  expression::Value property(std::string_view name) const override;
  expression::Value properties() const override { return text().properties; }
  bool is_readable() const { return rows_ != nullptr || text().is_readable; }
  // Of a row its database, its id and its etag.
  struct RowName {
    std::string database_id;
    std::string row_id;
    Etag etag;
  };
  std::optional<RowName> row() const;

 private:
  friend class Vault;
  // What stands in the file.
  struct Text {
    void read(std::string_view bytes, const std::string& path, const Vault& vault);
    void add_tags_of(const expression::Value& field);
    void add_tag(std::string_view tag);

    bool is_readable = true;
    std::vector<std::string> tags{};
    expression::Value links = expression::Value::list_of({});
    expression::Value embeds = expression::Value::list_of({});
    expression::Value properties = expression::Value::object_of({});
  };
  const Text& text() const;

  const Vault& vault_;
  std::string path_;
  StatKey key_;
  VaultRows* rows_ = nullptr;  // of the database whose row it is
  std::uint32_t row_ = 0;
  mutable std::shared_ptr<const Text> text_{};
};

enum class Bodies { read, ignored };

class Vault : public expression::Vault {
 public:
  // What cannot be listed is passed over; a note that cannot be read is there without properties.
  Vault(const FileSystem& files, Bodies bodies, const expression::TimeZone& zone);
  // `rows` are those of databases that are known already.
  Vault(const FileSystem& files,
        Bodies bodies,
        const expression::TimeZone& zone,
        std::vector<std::unique_ptr<Snapshot>> rows);
  ~Vault() override;
  Vault(const Vault&) = delete;
  Vault& operator=(const Vault&) = delete;

  // In the natural order of their paths.
  const std::vector<std::shared_ptr<VaultFile>>& files() const { return files_; }
  std::shared_ptr<VaultFile> at(std::string_view path) const;

  // As links of an Obsidian vault lead (note/link_names.h).
  expression::FilePointer find(std::string_view target, std::string_view source) const override;

 private:
  friend class VaultFile;
  void add_rows(VaultRows& rows);
  void put_in_order(std::vector<std::size_t> begins);
  void walk(const std::string& folder, VaultRows* rows);
  void read_notes(const std::string& folder, const std::vector<const char*>& names);
  const LinkNames& names() const;
  const std::vector<const VaultFile*>& sources_of(const VaultFile& file) const;

  const FileSystem& file_system_;
  Bodies bodies_;
  const expression::TimeZone& zone_;
  std::unordered_map<std::string, std::unique_ptr<VaultRows>> rows_;  // by the id of their database
  std::vector<std::shared_ptr<VaultFile>> files_;
  mutable std::optional<LinkNames> names_;  // made when the first link is followed
  mutable std::unordered_map<std::string, std::shared_ptr<VaultFile>> found_;
  mutable std::unordered_map<const expression::File*, std::vector<const VaultFile*>> sources_;
  mutable bool knows_sources_ = false;
};

}  // namespace notesdb
