// Matcher: whether an answer is the one that a case expects, and where it is not.
//
// A pattern is JSON and means itself, with these exceptions:
//
//   "$any" "$string" "$number" "$boolean" "$list" "$object"     anything of that kind
//   "$etag" "$time" "$change"      16 hex digits; RFC 3339 in UTC; what db_undo takes
//   "$etag:before"                 the same, and from here on exactly this value ("$string:id" ...)
//   "$absent"                      as a member: it must not be there
//   "...": "$any"                  as a member: other members may be there as well
//   {"$contains": [p, ...]}        a text with each of these parts, a list with each of these
//   elements
//   {"$lacks": [p, ...]}           a text or list with none of them
//   {"$one_of": [p, ...]}          at least one pattern holds
//   {"$all": [p, ...]}             every pattern holds
//   {"$unordered": [p, ...]}       a list of these elements in any order
//   {"$begins": "x"}               a text that begins so
//   {"$size": n}                   a list of n elements
//   {"$ids": ["a", "b"]}           an answer of db_query: total 2, these rows in this order
//
// The members of an expected `error` are what is looked at; other facts may stand beside them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "driving/mcp_client.h"

namespace notesdb::cases {

using driving::Json;

// Values that placeholders were bound to, by their whole name ("$etag:before").
using Bindings = std::map<std::string, Json>;

struct Matched {
  // "rows[0].fields.title: expected "a", found "b"", one for each difference; empty if it fits.
  std::vector<std::string> differences;
  // The answer with what may differ between two runs (times, changes, new ids) taken out.
  Json masked;
};

Matched match(const Json& pattern, const Json& found, Bindings& bindings);
// Where two answers differ, every text meaning itself.
std::vector<std::string> differences_between(const Json& expected, const Json& found);

// A request with every bound placeholder replaced by its value.
Json substitute(const Json& request, const Bindings& bindings);
std::string fill_in(std::string text, const Bindings& bindings);

}  // namespace notesdb::cases
