// Tool docs: docs/tools.md, written from the catalog so that it cannot say anything else.
#pragma once

#include <string>
#include <vector>

#include "operations/operation.h"

namespace notesdb {

std::string tools_markdown(const std::vector<const Operation*>& operations);

}  // namespace notesdb
