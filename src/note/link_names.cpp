#include "note/link_names.h"

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <tuple>
#include <utility>

#include "core/link.h"
#include "core/text.h"

namespace notesdb {
namespace {

constexpr auto npos = std::string_view::npos;

struct FlavourName {
  LinkFlavour flavour;
  std::string_view name;
};
constexpr std::array flavour_table{FlavourName{LinkFlavour::plain, "plain"},
                                   FlavourName{LinkFlavour::obsidian, "obsidian"},
                                   FlavourName{LinkFlavour::foam, "foam"},
                                   FlavourName{LinkFlavour::dendron, "dendron"},
                                   FlavourName{LinkFlavour::logseq, "logseq"},
                                   FlavourName{LinkFlavour::zk, "zk"},
                                   FlavourName{LinkFlavour::hugo, "hugo"},
                                   FlavourName{LinkFlavour::jekyll, "jekyll"},
                                   FlavourName{LinkFlavour::zola, "zola"},
                                   FlavourName{LinkFlavour::mkdocs, "mkdocs"},
                                   FlavourName{LinkFlavour::docusaurus, "docusaurus"},
                                   FlavourName{LinkFlavour::astro, "astro"}};

constexpr std::array marker_table{FlavourName{LinkFlavour::obsidian, ".obsidian"},
                                  FlavourName{LinkFlavour::dendron, "dendron.yml"},
                                  FlavourName{LinkFlavour::logseq, "logseq"},
                                  FlavourName{LinkFlavour::foam, ".foam"},
                                  FlavourName{LinkFlavour::zk, ".zk"},
                                  FlavourName{LinkFlavour::hugo, "hugo.toml"},
                                  FlavourName{LinkFlavour::hugo, "hugo.yaml"},
                                  FlavourName{LinkFlavour::hugo, "hugo.yml"},
                                  FlavourName{LinkFlavour::hugo, "hugo.json"},
                                  FlavourName{LinkFlavour::jekyll, "_config.yml"},
                                  FlavourName{LinkFlavour::zola, "zola.toml"},
                                  FlavourName{LinkFlavour::mkdocs, "mkdocs.yml"},
                                  FlavourName{LinkFlavour::docusaurus, "docusaurus.config.js"},
                                  FlavourName{LinkFlavour::docusaurus, "docusaurus.config.ts"},
                                  FlavourName{LinkFlavour::docusaurus, "docusaurus.config.mjs"},
                                  FlavourName{LinkFlavour::astro, "astro.config.mjs"},
                                  FlavourName{LinkFlavour::astro, "astro.config.ts"},
                                  FlavourName{LinkFlavour::astro, "astro.config.js"}};

struct Ending {
  std::string_view text;
  std::uint8_t rank;
};
constexpr std::array note_endings{Ending{".md", 1},
                                  Ending{".markdown", 2},
                                  Ending{".mdx", 2},
                                  Ending{".qmd", 2},
                                  Ending{".rmd", 2},
                                  Ending{".mdown", 2},
                                  Ending{".mkd", 2},
                                  Ending{".mkdn", 2},
                                  Ending{".mkdown", 2},
                                  Ending{".yaml", 3},
                                  Ending{".yml", 3}};
constexpr std::uint8_t folder_rank = 4;
constexpr std::string_view page_divider = "___";

std::string_view last_of(std::string_view path) {
  return path.substr(path.rfind('/') + 1);  // npos + 1 is the beginning
}

std::string_view folder_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == npos ? "." : path.substr(0, slash);
}

std::string joined(std::string_view folder, std::string_view path) {
  return folder == "." ? std::string(path) : std::string(folder) + "/" + std::string(path);
}

bool lies_in(std::string_view path, std::string_view folder) {
  return folder == "." ||
         (path.size() > folder.size() && path.starts_with(folder) && path[folder.size()] == '/');
}

std::string_view inside(std::string_view path, std::string_view folder) {
  return folder == "." ? path : path.substr(folder.size() + 1);
}

// Every link is folded; most are a few letters of ASCII.
std::string folded(std::string_view text) {
  std::string lower(text);
  unsigned char seen = 0;
  for (char& c : lower) {
    const auto byte = static_cast<unsigned char>(c);
    seen |= byte;
    const bool is_upper = static_cast<unsigned char>(byte - 'A') < 26;
    c = static_cast<char>(byte | (is_upper ? 0x20U : 0U));
  }
  if (seen >= 0x80) return fold_case(to_nfc(text));
  return lower;
}

std::size_t hash_of(std::string_view text) {
  return std::hash<std::string_view>()(text);
}

std::size_t letters_in(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

// "../b/x.md" from the folder "a" to "b/x.md".
std::string relative_path(std::string_view folder, std::string_view path) {
  std::string up;
  while (!lies_in(path, folder)) {
    up += "../";
    folder = folder_of(folder);
  }
  return up + std::string(inside(path, folder));
}

// "b/c" of "a/b/c" for two; the whole path where it has no more.
std::string_view last_parts(std::string_view path, std::size_t count) {
  std::size_t begin = path.size();
  for (; count > 0 && begin != npos && begin != 0; --count)
    begin = path.rfind('/', begin - 1);
  return begin == npos || begin == 0 ? path : path.substr(begin + 1);
}

bool is_dotted(std::string_view path) {
  return path.starts_with("./") || path.starts_with("../");
}

// Markdown links of these tools are looked up by their path and by nothing else.
bool is_strict(LinkFlavour flavour) {
  return flavour == LinkFlavour::foam || is_site(flavour);
}

// Where the paths of a site's links begin.
std::string content_of(const LinkRules& rules) {
  const bool has_content = rules.flavour == LinkFlavour::hugo || rules.flavour == LinkFlavour::zola;
  return has_content ? joined(rules.root, "content") : rules.root;
}

}  // namespace

bool is_site(LinkFlavour flavour) {
  switch (flavour) {
    case LinkFlavour::hugo:
    case LinkFlavour::jekyll:
    case LinkFlavour::zola:
    case LinkFlavour::mkdocs:
    case LinkFlavour::docusaurus:
    case LinkFlavour::astro: return true;
    default: return false;
  }
}

std::string_view name_of(LinkFlavour flavour) {
  return std::ranges::find(flavour_table, flavour, &FlavourName::flavour)->name;
}

std::optional<LinkFlavour> parse_link_flavour(std::string_view name) {
  const auto* found = std::ranges::find(flavour_table, name, &FlavourName::name);
  return found == flavour_table.end() ? std::nullopt : std::optional(found->flavour);
}

std::vector<std::string> link_flavour_names() {
  std::vector<std::string> names;
  for (const FlavourName& entry : flavour_table)
    names.emplace_back(entry.name);
  return names;
}

std::optional<LinkFormat> parse_link_format(std::string_view name) {
  if (name == "shortest") return LinkFormat::shortest;
  if (name == "absolute") return LinkFormat::absolute;
  if (name == "relative") return LinkFormat::relative;
  return std::nullopt;
}

std::optional<LinkFlavour> flavour_of_marker(std::string_view entry) {
  const auto* found = std::ranges::find(marker_table, entry, &FlavourName::name);
  return found == marker_table.end() ? std::nullopt : std::optional(found->flavour);
}

bool is_link_of(LinkFlavour flavour, LinkForm form) {
  switch (form) {
    case LinkForm::shortcode: return flavour == LinkFlavour::hugo || flavour == LinkFlavour::jekyll;
    case LinkForm::tag: return flavour == LinkFlavour::logseq;
    default: return true;
  }
}

BodyLink as_written_by(LinkFlavour flavour, BodyLink link) {
  const bool is_swapped = flavour == LinkFlavour::dendron && link.form == LinkForm::wiki &&
                          !link.text.empty() && link.text.find("://") == npos;
  if (!is_swapped) return link;
  const std::string_view target = link.text;
  const std::size_t hash = target.find('#');
  link.text = link.path;
  link.path = target.substr(0, hash);
  link.subpath = hash == npos ? std::string_view() : target.substr(hash + 1);
  return link;
}

// A link that is looked up.
struct LinkNames::Asked {
  std::string_view path;
  std::string_view folded;
  LinkForm form = LinkForm::wiki;
  const Source& source;
  const LinkRules& rules;
};

LinkNames::Key LinkNames::key_of(std::string_view path) {
  return hash_of(folded(last_of(path)));
}

LinkNames::Source LinkNames::source(std::string_view path) const {
  const File file = find(path);
  const std::string_view database =
      file == no_file ? std::string_view() : std::string_view(files_[file].database);
  return {path, file, folder_of(path), database, rules_of(path)};
}

const LinkRules& LinkNames::rules_of(std::string_view source) const {
  if (rules_.empty()) return plain_;
  for (std::string_view folder = folder_of(source);; folder = folder_of(folder)) {
    const auto found = rules_.find(folder);
    if (found != rules_.end()) return found->second;
    if (folder == ".") return plain_;
  }
}

void LinkNames::set_rules(std::string_view folder, LinkRules rules) {
  rules_.insert_or_assign(std::string(folder), std::move(rules));
}

LinkNames::Names LinkNames::names_of(File file, std::string_view path) {
  Names names;
  const auto add = [&](std::size_t size, std::uint8_t rank) {
    names.all[names.count++] = {file, static_cast<std::uint32_t>(size), rank};
  };
  add(path.size(), 0);
  const auto* ending = std::ranges::find_if(
      note_endings, [&](const Ending& one) { return path.ends_with(one.text); });
  if (ending == note_endings.end()) return names;
  const std::string_view stem = path.substr(0, path.size() - ending->text.size());
  add(stem.size(), ending->rank);
  const std::string_view name = last_of(stem);
  const bool is_of_folder = name == "index" || name == "_index" || name == "readme";
  if (is_of_folder && stem.size() > name.size()) add(stem.size() - name.size() - 1, folder_rank);
  return names;
}

void LinkNames::add(std::string_view path, std::string_view database) {
  if (const File known = find(path); known != no_file) {
    files_[known].database = database;
    return;
  }
  const auto file = static_cast<File>(files_.size());
  std::string folded_path = folded(path);
  if (folded_path == path) folded_path.clear();
  files_.push_back({std::string(path), std::move(folded_path), std::string(database)});
  by_path_.emplace(hash_of(path), file);
  const std::string_view whole = files_.back().folded();
  for (const Name& name : names_of(file, whole))
    by_name_.emplace(hash_of(last_of(whole.substr(0, name.size))), name);
}

void LinkNames::remove(std::string_view path) {
  const File file = find(path);
  if (file == no_file) return;
  const std::string_view whole = files_[file].folded();
  for (const Name& name : names_of(file, whole)) {
    auto [one, end] = by_name_.equal_range(hash_of(last_of(whole.substr(0, name.size))));
    while (one != end)
      one = one->second.file == file ? by_name_.erase(one) : std::next(one);
  }
  remove_aliases(path);
  auto [one, end] = by_path_.equal_range(hash_of(path));
  by_path_.erase(std::find_if(one, end, [&](const auto& known) { return known.second == file; }));
  files_[file] = {};
}

void LinkNames::add_alias(std::string_view path, std::string_view alias) {
  const File file = find(path);
  if (file == no_file) return;
  files_[file].aliases.push_back(folded(alias));
  by_alias_[files_[file].aliases.back()].push_back(file);
}

void LinkNames::remove_aliases(std::string_view path) {
  const File file = find(path);
  if (file == no_file) return;
  for (const std::string& alias : files_[file].aliases) {
    const auto found = by_alias_.find(alias);
    std::erase(found->second, file);
    if (found->second.empty()) by_alias_.erase(found);
  }
  files_[file].aliases.clear();
}

LinkNames::File LinkNames::find(std::string_view path) const {
  for (auto [one, end] = by_path_.equal_range(hash_of(path)); one != end; ++one)
    if (files_[one->second].path == path) return one->second;
  return no_file;
}

std::vector<LinkNames::Key> LinkNames::keys_for(std::string_view path) {
  const std::string whole = folded(path);
  std::vector<Key> keys;
  for (const Name& name : names_of(no_file, whole))
    keys.push_back(hash_of(last_of(std::string_view(whole).substr(0, name.size))));
  // A page of Logseq, "a___b.md" for [[a/b]].
  const std::string stem(whole.substr(0, whole.rfind('.')));
  const std::size_t divider = stem.rfind(page_divider);
  if (divider != npos) keys.push_back(hash_of(stem.substr(divider + page_divider.size())));
  return keys;
}

// The names of files below a folder that end with what is asked for, or are it as a whole.
std::vector<LinkNames::Name> LinkNames::fitting(const Asked& asked,
                                                std::string_view folder,
                                                bool whole) const {
  std::vector<Name> names;
  auto [one, end] = by_name_.equal_range(hash_of(last_of(asked.folded)));
  if (one == end) return names;
  const std::size_t begin = folder == "." ? 0 : folded(folder).size() + 1;
  for (; one != end; ++one) {
    const Name& name = one->second;
    const Entry& file = files_[name.file];
    if (name.rank == folder_rank && asked.rules.flavour == LinkFlavour::obsidian) continue;
    if (name.size < begin + asked.folded.size()) continue;
    const std::string_view path = file.folded().substr(0, name.size);
    const bool fits = path.ends_with(asked.folded) && lies_in(file.path, folder);
    const std::size_t rest = name.size - asked.folded.size();
    const bool is_whole = rest == begin;
    if (fits && (is_whole || (!whole && path[rest - 1] == '/'))) names.push_back(name);
  }
  return names;
}

bool LinkNames::is_exact_case(const Asked& asked, const Name& name) const {
  const std::string& path = files_[name.file].path;
  if (path.ends_with(asked.path)) return true;
  const std::size_t at = path.rfind(asked.path);
  return at != std::string::npos && at + asked.path.size() <= path.size() &&
         (path[at + asked.path.size()] == '.' || path[at + asked.path.size()] == '/');
}

bool LinkNames::is_before(const Asked& asked, const Name& a, const Name& b) const {
  const auto order = [&](const Name& name) {
    const std::string& path = files_[name.file].path;
    return std::tuple(letters_in(path), !is_exact_case(asked, name), std::string_view(path));
  };
  return order(a) < order(b);
}

LinkNames::Meaning LinkNames::exact(const Asked& asked, std::string_view folder, Way way) const {
  const std::vector<Name> names = fitting(asked, folder, true);
  if (names.empty()) return {};
  if (names.size() == 1) return {names[0].file, way, names[0].rank, {}};
  const auto best = std::ranges::min_element(names, [&](const Name& a, const Name& b) {
    if (a.rank != b.rank) return a.rank < b.rank;
    return is_before(asked, a, b);
  });
  return {best->file, way, best->rank, {}};
}

// Of several the one in the source's own folder, else the one with the shortest path.
LinkNames::Meaning LinkNames::by_ending(const Asked& asked) const {
  std::vector<Name> names = fitting(asked, asked.rules.root, false);
  if (names.empty()) return {};
  if (names.size() == 1) return {names[0].file, Way::ending, names[0].rank, {}};
  const std::uint8_t rank = std::ranges::min_element(names, {}, &Name::rank)->rank;
  std::erase_if(names, [&](const Name& name) { return name.rank != rank; });
  const auto is_near = [&](const Name& name) {
    return folder_of(files_[name.file].path) == asked.source.folder;
  };
  const auto best = std::ranges::min_element(names, [&](const Name& a, const Name& b) {
    if (is_near(a) != is_near(b)) return is_near(a);
    return is_before(asked, a, b);
  });
  Meaning meaning{best->file, Way::ending, rank, {}};
  if (is_near(*best)) return meaning;
  for (const Name& name : names)
    if (name.file != best->file) meaning.others.push_back(name.file);
  std::ranges::sort(meaning.others, {}, [&](File file) { return path(file); });
  return meaning;
}

// A page of Logseq by its path, whose slashes its file has as "___", or by another name of it.
LinkNames::Meaning LinkNames::by_page_name(const Asked& asked) const {
  if (asked.path.find('/') != npos) {
    std::string page;
    for (const char c : asked.path)
      page += c == '/' ? std::string(page_divider) : std::string(1, c);
    const std::string folded_page = folded(page);
    const Asked one{page, folded_page, asked.form, asked.source, asked.rules};
    Meaning meaning = by_ending(one);
    if (meaning.is_found()) return meaning;
  }
  const auto found = by_alias_.find(std::string(asked.folded));
  if (found == by_alias_.end()) return {};
  const File file = *std::ranges::min_element(
      found->second, {}, [&](File one) { return std::string_view(files_[one].path); });
  return {file, Way::alias, 1, {}};
}

LinkNames::Meaning LinkNames::by_steps(const Asked& asked) const {
  const LinkRules& rules = asked.rules;
  const auto as_path = [&](std::string_view folder, std::string_view path, Way way) {
    const std::string whole = resolve_path(folder, path);
    const std::string folded_whole = folded(whole);
    const Asked one{whole, folded_whole, asked.form, asked.source, rules};
    return whole.empty() ? Meaning{} : exact(one, ".", way);
  };
  if (is_dotted(asked.path)) return as_path(asked.source.folder, asked.path, Way::relative);
  if (asked.path.starts_with('/') || asked.path.starts_with("@/")) {
    const std::string content = content_of(rules);
    const std::string_view path = asked.path.substr(asked.path[0] == '@' ? 2 : 1);
    Meaning meaning = as_path(content, path, Way::absolute);
    return meaning.is_found() || content == "." ? meaning : as_path(".", path, Way::absolute);
  }
  const bool is_wiki = asked.form == LinkForm::wiki;
  // A tag of Jekyll begins at the root of the site.
  const bool is_tag = asked.form == LinkForm::shortcode && rules.flavour == LinkFlavour::jekyll;
  if (!is_wiki && !is_tag && rules.flavour != LinkFlavour::obsidian) {
    Meaning meaning = as_path(asked.source.folder, asked.path, Way::beside);
    if (meaning.is_found()) return meaning;
  }
  if (asked.path.find("../") != npos) return as_path(rules.root, asked.path, Way::root);
  if (is_wiki && rules.flavour == LinkFlavour::plain && !asked.source.database.empty()) {
    Meaning meaning = exact(asked, asked.source.database, Way::own);
    if (meaning.is_found()) return meaning;
  }
  Meaning meaning = exact(asked, content_of(rules), Way::root);
  if (!meaning.is_found() && rules.root != ".") meaning = exact(asked, ".", Way::root);
  const bool by_path = !is_wiki && asked.form != LinkForm::shortcode && is_strict(rules.flavour);
  if (!meaning.is_found() && !by_path) meaning = by_ending(asked);
  const bool has_pages = is_wiki && rules.flavour == LinkFlavour::logseq;
  return meaning.is_found() || !has_pages ? meaning : by_page_name(asked);
}

LinkNames::Meaning LinkNames::among_rows(const Asked& asked, std::string_view target) const {
  Meaning meaning = exact(asked, target, Way::own);
  if (meaning.is_found()) return meaning;
  LinkRules rules = asked.rules;
  rules.root = target;
  const Asked below{asked.path, asked.folded, asked.form, asked.source, rules};
  return by_ending(below);
}

LinkNames::Meaning LinkNames::resolve(std::string_view path,
                                      LinkForm form,
                                      const Source& source,
                                      std::string_view target) const {
  if (path.empty()) return {source.file, Way::itself, 0, {}};
  if (!is_link_of(source.rules.flavour, form)) return {};
  const LinkForm looked_up = form == LinkForm::tag ? LinkForm::wiki : form;
  const std::string folded_path = folded(path);
  const Asked asked{path, folded_path, looked_up, source, source.rules};
  if (!target.empty() && !is_dotted(path)) {
    Meaning meaning = among_rows(asked, target);
    if (meaning.is_found()) return meaning;
  }
  return by_steps(asked);
}

// As much of a file's path as a link of this rank holds: its ending, or the folder it stands for.
std::string_view LinkNames::shown_path(std::string_view path, std::uint8_t rank) {
  const std::string whole = folded(path);
  const Names names = names_of(no_file, whole);
  if (rank == 0 || names.count == 1) return path;
  const std::string_view stem = path.substr(0, path.rfind('.'));
  const bool is_folder = rank == folder_rank && names.back().rank == folder_rank;
  return is_folder ? folder_of(path) : stem;
}

std::string LinkNames::path_for(std::string_view path,
                                const Meaning& meaning,
                                std::string_view written,
                                LinkForm form,
                                std::string_view source,
                                std::string_view target) const {
  const LinkRules& rules = rules_of(source);
  const File file = find(path);
  const std::string_view shown = shown_path(path, meaning.rank);
  const auto works = [&](std::string_view candidate) {
    return resolve(candidate, form, source, target).file == file;
  };
  const std::string relative = relative_path(folder_of(source), shown);
  if (meaning.way == Way::relative || meaning.way == Way::beside) {
    const bool has_dot = written.starts_with("./") && !relative.starts_with("../");
    if (!has_dot && works(relative)) return relative;
    return relative.starts_with("../") ? relative : "./" + relative;
  }
  const std::string root = meaning.way == Way::absolute ? content_of(rules) : rules.root;
  const std::string_view from_root = lies_in(shown, root) ? inside(shown, root) : shown;
  if (meaning.way == Way::absolute)
    return std::string(written.substr(0, written.find('/') + 1)) + std::string(from_root);
  // The last names of the path, as many as there were, and then more of them.
  const bool is_obsidian = rules.flavour == LinkFlavour::obsidian;
  const bool lengthens = rules.format == LinkFormat::shortest ||
                         (rules.format == LinkFormat::automatic && !is_obsidian);
  const auto parts = static_cast<std::size_t>(std::ranges::count(written, '/')) + 1;
  const bool is_whole = meaning.way == Way::root && parts > 1;
  for (std::size_t count = parts; !is_whole; ++count) {
    const std::string_view ending = last_parts(from_root, count);
    if (works(ending)) return std::string(ending);
    if (!lengthens || ending == from_root) break;
  }
  if (rules.format == LinkFormat::relative && works(relative)) return relative;
  return works(from_root) ? std::string(from_root) : "/" + std::string(from_root);
}

}  // namespace notesdb
