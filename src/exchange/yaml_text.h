// YAML text: a value as one YAML document, read alike by YAML 1.1 and 1.2.
#pragma once

#include <string>

#include "core/value.h"

namespace notesdb {

// Block style for what has members, one line for the rest.
std::string yaml_text(const Value& value);

}  // namespace notesdb
