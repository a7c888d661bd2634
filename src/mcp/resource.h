// Resources: what a host may read without a tool, as it is registered with a Server.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mcp/call.h"

namespace notesdb::mcp {

struct Resource {
  std::string uri;
  std::string name;
  std::string title;
  std::string description;
  std::string mime_type;
  std::string last_modified;  // RFC 3339, or empty
};

struct ResourceTemplate {
  std::string uri_template;  // RFC 6570: notesdb://tasks/{row_id}
  std::string name;
  std::string title;
  std::string description;
  std::string mime_type;
};

struct ResourceContents {
  std::string uri;
  std::string mime_type;
  std::string text;
  bool is_base64 = false;  // `text` is the base64 of bytes
};

struct Resources {
  std::function<std::vector<Resource>()> list;  // in a stable order
  std::vector<ResourceTemplate> templates;
  // Empty if there is no such resource.
  std::function<std::optional<std::vector<ResourceContents>>(const std::string& uri, Call& call)>
      read;
  // Called with true when the first client wants to hear of changes, with false when the last one
  // has gone, one call at a time; it must not call the server. Null: subscribing is not offered.
  std::function<void(bool wanted)> watch;
};

}  // namespace notesdb::mcp
