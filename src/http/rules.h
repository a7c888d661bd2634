// Rules: who may ask for what. Decided on the head of a request, before its body is read.
//
//   Host          this server by name, so that no other site's name can be pointed at it
//   Origin        absent (no browser), or this server itself
//   route         a path that is served, with its method
//   token         where one is set, for everything but /health
//   Content-Type  application/json for what is posted: a page cannot send that unasked
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "http/request.h"

namespace notesdb::http {

struct Rules {
  int port = 0;
  bool loopback = true;  // otherwise the token is what keeps strangers out, and any Host will do
  std::string token;     // empty: none
};

std::optional<Refusal> judge(const Request& request, const Rules& rules);

// Whether an address is the machine's own: 127.0.0.0/8, ::1, localhost.
bool is_loopback(std::string_view host);

}  // namespace notesdb::http
