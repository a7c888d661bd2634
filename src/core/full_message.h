// Full message: what a person is told of an error, the message and after it the valid choices that
// stand among its facts.
#pragma once

#include <string>

#include "core/error.h"

namespace notesdb {

// Each error of a joined one has a line of its own.
std::string full_message(const Error& error);

}  // namespace notesdb
