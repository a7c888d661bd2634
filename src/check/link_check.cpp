#include "check/link_check.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "core/budget.h"
#include "core/progress.h"
#include "core/text.h"
#include "files/names.h"
#include "note/links.h"
#include "yaml/scalar.h"

namespace notesdb {
namespace {

constexpr std::size_t max_named = 100;  // problems of one note; nobody reads more at once

using AliasOwners = std::map<std::string, std::vector<std::string>>;  // by folded alias: paths

std::string listed(const LinkNames& names, const LinkNames::Meaning& meaning) {
  constexpr std::size_t few = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(meaning.others.size(), few); ++i)
    text += (i == 0 ? "" : ", ") + names.path(meaning.others[i]);
  if (meaning.others.size() > few)
    text += " and " + std::to_string(meaning.others.size() - few) + " more";
  return text;
}

std::string quoted(std::string_view text) {
  return "'" + escape_controls(text) + "'";
}

LinkProblem problem_of(const LinkCache::Linking& found, std::string rule) {
  LinkProblem problem;
  problem.path = found.link.path;
  problem.field = found.link.field;
  problem.form = found.link.form;
  problem.rule = std::move(rule);
  return problem;
}

LinkProblem unresolved(const LinkCache::Linking& found, const AliasOwners& aliases) {
  LinkProblem problem = problem_of(found, "unresolved");
  const auto owners = aliases.find(fold_case(to_nfc(found.link.path)));
  const bool is_alias = owners != aliases.end() && found.link.form == LinkForm::wiki;
  if (!is_alias) {
    problem.message = "the link " + quoted(found.link.path) + " leads to no file";
    return problem;
  }
  const std::string& path = owners->second.front();
  const LinkNames::Meaning like{LinkNames::no_file, LinkNames::Way::ending, 1, {}};
  problem.rule = "alias";
  problem.message =
      "the link " + quoted(found.link.path) + " is an alias of " + path + ", and links go by names";
  if (owners->second.size() == 1) {
    problem.name = found.names.path_for(path, like, "", LinkForm::wiki, found.path);
    problem.message += "; write [[" + problem.name + "|" + problem.path + "]]";
  }
  return problem;
}

LinkProblem ambiguous(const LinkCache::Linking& found) {
  const std::string& path = found.names.path(found.meaning.file);
  const std::string exact =
      found.names.path_for(path,
                           {found.meaning.file, LinkNames::Way::absolute, found.meaning.rank, {}},
                           "/",
                           found.link.form,
                           found.path);
  LinkProblem problem = problem_of(found, "ambiguous");
  problem.message = "the link " + quoted(found.link.path) + " leads to " + path +
                    ", and could lead to " + listed(found.names, found.meaning) + "; write '" +
                    exact.substr(1) + "'";
  return problem;
}

// The links of a note's body that have a problem, in order.
void each_problem(std::string_view body,
                  const std::vector<LinkProblem>& problems,
                  const std::function<void(const BodyLink&, const LinkProblem&)>& visit) {
  std::map<std::tuple<std::string_view, LinkForm>, const LinkProblem*> wanted;
  for (const LinkProblem& problem : problems)
    if (problem.field.empty())
      wanted.emplace(std::tuple(std::string_view(problem.path), problem.form), &problem);
  if (wanted.empty()) return;
  for_each_link(
      body,
      [&](const BodyLink& link) {
        const std::string path = path_meant(link);
        const auto found = wanted.find({path, link.form});
        if (found != wanted.end()) visit(link, *found->second);
      },
      TagLinks::yes);
}

Issue to_issue(const std::string& path, const LinkProblem& problem) {
  Issue issue;
  issue.path = path;
  issue.severity = Severity::warning;
  issue.rule = problem.rule;
  issue.message = problem.message;
  issue.field = problem.field.empty() ? "_body" : problem.field;
  return issue;
}

std::optional<std::string> with_name(const std::vector<LinkProblem>& problems,
                                     const BodyLink& link) {
  const std::string path = path_meant(link);
  const auto problem = std::ranges::find_if(problems, [&](const LinkProblem& one) {
    return one.path == path && one.form == link.form && !one.name.empty();
  });
  if (problem == problems.end()) return std::nullopt;
  if (!link.text.empty()) return with_path(link, problem->name);
  std::string changed = with_path(link, problem->name);
  changed.insert(changed.size() - 2, (link.in_table ? "\\|" : "|") + path);
  return changed;
}

// Goes through a body from its first to its last link, each line once.
class LineOfLink {
 public:
  explicit LineOfLink(const Note& note) : body_(note.body()) {
    const std::string_view head =
        std::string_view(note.bytes()).substr(0, note.bytes().size() - body_.size());
    number_ = static_cast<std::uint32_t>(std::ranges::count(head, '\n')) + 1;
    find_end();
  }

  void go_to(const BodyLink& link) {
    const auto at = static_cast<std::size_t>(link.written.data() - body_.data());
    for (; at > end_; ++number_) {
      begin_ = end_ + 1;
      find_end();
    }
    column_ = static_cast<std::uint32_t>(at - begin_) + 1;
  }
  std::uint32_t number() const { return number_; }
  std::uint32_t column() const { return column_; }

 private:
  void find_end() { end_ = std::min(body_.find('\n', begin_), body_.size()); }

  std::string_view body_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::uint32_t number_ = 1;
  std::uint32_t column_ = 1;
};

// `[t](/about)` names a page of the site that the notes become, which need not be a file.
bool is_address_of_site(const LinkCache::StoredLink& link) {
  return link.form != LinkForm::wiki && link.path.starts_with('/');
}

bool is_problem(const LinkCache::Linking& found) {
  if (found.meaning.is_found()) return !found.meaning.others.empty();
  return found.link.form != LinkForm::tag && !is_address_of_site(found.link);
}

}  // namespace

LinkProblems find_link_problems(Workspace& workspace,
                                const std::set<std::string, std::less<>>& databases,
                                const LinkCache::VisitNote& visit_note) {
  const ProgressStage stage("checking links");
  AliasOwners aliases;
  LinkProblems problems;
  const auto take_link = [&](const LinkCache::Linking& found) {
    const bool is_asked_for = found.owner && databases.contains(found.owner->id());
    if (!is_asked_for || !is_problem(found)) return;
    auto& of_note = problems[found.path];
    if (of_note.size() >= max_named) return;
    of_note.push_back(found.meaning.is_found() ? ambiguous(found) : unresolved(found, aliases));
  };
  const auto take_alias = [&](const std::string& path, const std::string& alias) {
    aliases[fold_case(to_nfc(alias))].push_back(path);
  };
  workspace.link_cache().each_link(take_link, take_alias, visit_note);
  return problems;
}

std::vector<Issue> link_issues(const FileSystem& files, const LinkProblems& problems) {
  std::vector<Issue> issues;
  const ProgressStage stage("checking links");
  Progress::begin(problems.size(), "placing issues");
  for (const auto& [path, of_note] : problems) {
    Budget::look();
    Progress::step();
    const auto file = files.read(path);
    auto note = file ? Note::parse(file->bytes, note_format_of(path)) : Result<Note>(file.error());
    if (!note) continue;
    for (const LinkProblem& problem : of_note) {
      if (problem.field.empty()) continue;
      const NoteField* field = note->find_field(problem.field);
      Issue& issue = issues.emplace_back(to_issue(path, problem));
      if (field != nullptr) issue.line = field->line;
    }
    LineOfLink line(*note);
    std::size_t named = 0;
    each_problem(note->body(), of_note, [&](const BodyLink& link, const LinkProblem& problem) {
      if (named++ >= max_named) return;
      line.go_to(link);
      Issue& issue = issues.emplace_back(to_issue(path, problem));
      issue.line = line.number();
      issue.column = line.column();
    });
  }
  return issues;
}

std::vector<FixedField> fix_links(const Schema& schema,
                                  const std::vector<LinkProblem>& problems,
                                  Note& note) {
  std::vector<FixedField> fixed;
  for_each_field_link(note, [&](const FieldLink& field) {
    BodyLink link;
    if (!scan_whole_link(field.text, link)) return;
    if (const auto now = with_name(problems, link))
      fixed.push_back({field.key, note.find_field(field.key)->line, "alias", field.text, *now});
  });
  LineOfLink line(note);
  each_problem(note.body(), problems, [&](const BodyLink& link, const LinkProblem&) {
    line.go_to(link);
    if (const auto now = with_name(problems, link))
      fixed.push_back({"_body", line.number(), "alias", std::string(link.written), *now});
  });
  if (fixed.empty()) return fixed;
  Relink how;
  how.rewrite = [&](const BodyLink& link, std::string_view) { return with_name(problems, link); };
  const auto edit = relink(schema, how, note);
  if (!edit) fixed.clear();  // a field that cannot be edited; its issue stays
  return fixed;
}

}  // namespace notesdb
