// Links inside a body: [[row-001]], [[people/ann|Ann]], [text](../people/ann.md).
//
// What stands in code, fenced or between backticks, is not a link.
#pragma once

#include <functional>
#include <string_view>

#include "core/link.h"

namespace notesdb {

enum class LinkForm { wiki, markdown };

// A link as it stands in a text: `written` is a view into it, brackets and all.
struct BodyLink {
  Link link;
  LinkForm form = LinkForm::wiki;
  std::string_view written;
};

// Calls `visit` for every link, in order.
void for_each_link(std::string_view body, const std::function<void(const BodyLink&)>& visit);

}  // namespace notesdb
