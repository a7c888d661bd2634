// Link check: the links of notes that lead nowhere, to one of several files, or to an alias.
//
//   unresolved no file has this name
//   ambiguous  several files have it, and an order decides which is meant
//   alias      it is an alias of a note; fixed as [[Name|alias]]
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/error.h"
#include "database/link_cache.h"
#include "database/workspace.h"
#include "note/fix.h"
#include "note/note.h"

namespace notesdb {

// What is wrong with the links of one note, and what would be right.
struct LinkProblem {
  std::string path;   // of the link, as it is meant
  std::string field;  // the property; empty for the body
  LinkForm form = LinkForm::wiki;
  std::string rule;
  std::string message;
  std::string name;  // of an alias: the path that the link should have
};
using LinkProblems = std::map<std::string, std::vector<LinkProblem>>;  // by note

// Of the notes that lie in or below these databases. `visit_note` is shown the notes that
// are read for it, from several threads at once; a process that stays reads none that it knows.
LinkProblems find_link_problems(Workspace& workspace,
                                const std::set<std::string, std::less<>>& databases,
                                const LinkCache::VisitNote& visit_note);

// The same as issues, each at its place in the note.
std::vector<Issue> link_issues(const FileSystem& files, const LinkProblems& problems);

// Writes what has one meaning: the names of notes in place of their aliases.
std::vector<FixedField> fix_links(const Schema& schema,
                                  const std::vector<LinkProblem>& problems,
                                  Note& note);

}  // namespace notesdb
