// Links inside a body: [[row-001]], [[people/ann|Ann]], [text](../people/ann.md).
//
// What stands in code, fenced or between backticks, is no link.
#pragma once

#include <functional>
#include <string_view>

#include "core/link.h"

namespace notesdb {

enum class LinkForm { wiki, markdown };

// Calls `visit` for every link, in order.
void for_each_link(std::string_view body,
                   const std::function<void(const Link& link, LinkForm form)>& visit);

}  // namespace notesdb
