// LinkNames: the files of a workspace by the names that links give them, and what a link means.
//
//   [[Beta]]          areas/Beta.md, wherever it lies; letter case and composition do not count
//   [[b/Note]]        a/b/Note.md, where no b/Note.md lies at the root
//   [t](../x.md)      by the path from the note
//
// A link is looked up when it is asked for, so that a new or moved file changes what the links of
// other notes mean, and none of these is read again. The order of the steps, and what differs from
// tool to tool, stand in docs/vaults.md.
//
// Pure: paths and folders are told by whoever lists them. Const functions may run on several threads.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "note/body_text.h"

namespace notesdb {

// The tool whose rules the links of a folder follow; `plain` where nothing tells.
enum class LinkFlavour {
  plain,
  obsidian,
  foam,
  dendron,
  logseq,
  zk,
  hugo,
  jekyll,
  zola,
  mkdocs,
  docusaurus,
  astro
};

// Whether the notes become pages of a site.
bool is_site(LinkFlavour flavour);
std::string_view name_of(LinkFlavour flavour);
std::optional<LinkFlavour> parse_link_flavour(std::string_view name);
std::vector<std::string> link_flavour_names();

// How a link is written whose name alone does not tell which file is meant.
enum class LinkFormat { automatic, shortest, absolute, relative };
std::optional<LinkFormat> parse_link_format(std::string_view name);

struct LinkRules {
  LinkFlavour flavour = LinkFlavour::plain;
  std::string root = ".";  // the folder that paths begin at, from the workspace root
  LinkFormat format = LinkFormat::automatic;
  std::string why{};  // what told the flavour: a marker's name, a setting; empty: nothing

  friend bool operator==(const LinkRules&, const LinkRules&) = default;
};

// The flavour that a folder's entry shows: ".obsidian", "mkdocs.yml"; none if it shows none.
std::optional<LinkFlavour> flavour_of_marker(std::string_view entry);

// Whether a link of this form is one for the flavour: shortcodes are Hugo's and Jekyll's, tags are
// Logseq's.
bool is_link_of(LinkFlavour flavour, LinkForm form);

// The link with its parts where the flavour has them: Dendron writes [[text|name]].
BodyLink as_written_by(LinkFlavour flavour, BodyLink link);

class LinkNames {
 public:
  using File = std::uint32_t;
  static constexpr File no_file = UINT32_MAX;

  // By which step a file was found.
  enum class Way { none, itself, relative, beside, absolute, root, own, ending, alias };

  struct Meaning {
    File file = no_file;
    Way way = Way::none;
    std::uint8_t rank = 0;       // of the name that the link has for it
    std::vector<File> others{};  // that fit as well, where nothing but an order decided

    bool is_found() const { return file != no_file; }
  };

  // A file, and the database that it is a row of; empty: none.
  void add(std::string_view path, std::string_view database = {});
  void remove(std::string_view path);
  // Another name by which links mean a file, where its tool has such: title:: and alias:: of Logseq.
  void add_alias(std::string_view path, std::string_view alias);
  void remove_aliases(std::string_view path);
  void set_rules(std::string_view folder, LinkRules rules);
  const LinkRules& rules_of(std::string_view source) const;
  const std::map<std::string, LinkRules, std::less<>>& all_rules() const { return rules_; }

  // A note that links stand in: what counts for all of them. As long as no file or rule changes.
  struct Source {
    std::string_view path;
    File file = no_file;
    std::string_view folder;
    std::string_view database;  // that it is a row of; empty: none
    const LinkRules& rules;
  };
  Source source(std::string_view path) const;

  // What a link in the note `source` means. In a relation to `target` its rows come first.
  Meaning resolve(std::string_view path,
                  LinkForm form,
                  const Source& source,
                  std::string_view target = {}) const;
  Meaning resolve(std::string_view path,
                  LinkForm form,
                  std::string_view source,
                  std::string_view target = {}) const {
    return resolve(path, form, this->source(source), target);
  }

  // The path for a link of the same kind as one that `meaning` and `written` describe, so that in
  // the note `source` it means `path`.
  std::string path_for(std::string_view path,
                       const Meaning& meaning,
                       std::string_view written,
                       LinkForm form,
                       std::string_view source,
                       std::string_view target = {}) const;

  const std::string& path(File file) const { return files_[file].path; }
  // That it is a row of; empty: none.
  const std::string& database(File file) const { return files_[file].database; }
  File find(std::string_view path) const;

  // Stands for the last name of a link's path, folded; different names may have the same.
  using Key = std::size_t;
  static Key key_of(std::string_view path);
  // Those of all links that may mean a file of this path.
  static std::vector<Key> keys_for(std::string_view path);

 private:
  struct Entry {
    std::string path;
    std::string folded_path;  // empty where folding changes nothing
    std::string database;
    std::vector<std::string> aliases{};  // folded

    std::string_view folded() const { return folded_path.empty() ? path : folded_path; }
  };
  // A way to name a file: its path without `cut` letters of the folded one, or its folder.
  struct Name {
    File file = no_file;
    std::uint32_t size = 0;  // of Entry::folded()
    std::uint8_t rank = 0;   // 0: with its ending; then .md, other notes, data, the folder
  };
  struct Asked;

  struct Names {
    std::array<Name, 3> all{};
    std::size_t count = 0;

    const Name* begin() const { return all.data(); }
    const Name* end() const { return all.data() + count; }
    const Name& back() const { return all[count - 1]; }
  };
  static Names names_of(File file, std::string_view folded);
  std::vector<Name> fitting(const Asked& asked, std::string_view folder, bool whole) const;
  bool is_exact_case(const Asked& asked, const Name& name) const;
  Meaning exact(const Asked& asked, std::string_view folder, Way way) const;
  Meaning by_ending(const Asked& asked) const;
  Meaning by_page_name(const Asked& asked) const;
  Meaning by_steps(const Asked& asked) const;
  static std::string_view shown_path(std::string_view path, std::uint8_t rank);
  Meaning among_rows(const Asked& asked, std::string_view target) const;
  bool is_before(const Asked& asked, const Name& a, const Name& b) const;

  std::vector<Entry> files_;                            // those that were removed have no path
  std::unordered_multimap<std::size_t, File> by_path_;  // by the hash of a path
  std::unordered_multimap<std::size_t, Name> by_name_;  // by that of a last name, folded
  std::unordered_map<std::string, std::vector<File>> by_alias_;
  std::map<std::string, LinkRules, std::less<>> rules_;  // by folder
  LinkRules plain_;
};

}  // namespace notesdb
