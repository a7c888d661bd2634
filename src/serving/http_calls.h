// Calls over HTTP: what `notesdb call TOOL` answers, for pages and scripts.
//
// Same arguments, same refusals, same JSON. A refusal is the error as JSON, under the status that
// comes nearest. A page may ask for 1,000 rows and 4 MiB at once.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "database/workspace.h"
#include "serving/mcp_server.h"

namespace notesdb {

struct HttpCallAnswer {
  int status = 200;
  std::string json;
  bool wrote = false;  // or may have
};

// `gone`: whether the client has left, after which a question is not finished. Tools that `options`
// leave out are not found.
HttpCallAnswer answer_http_call(Workspace& workspace,
                                const ServingOptions& options,
                                std::string_view tool,
                                std::string_view arguments,
                                const std::function<bool()>& gone);

}  // namespace notesdb
