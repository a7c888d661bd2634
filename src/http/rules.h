// Rules: who may ask for what. Decided on the head of a request, before its body is read.
//
//   Host            this server by name, so that no other site's name can be pointed at it
//   Origin          absent (no browser), or this server itself
//   Sec-Fetch-Site  absent (no browser), or this page; a person may open the page from anywhere
//   route           a path that is served, with its method
//   who             on a loopback address the user who runs the server, as the kernel says, else
//                   whoever has the token; what holds no data needs neither
//   Content-Type    application/json for what is posted: a page cannot send that unasked
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/request.h"

namespace notesdb::http {

struct Rules {
  int port = 0;
  bool loopback = true;                 // the address is this machine's own
  std::string token = {};               // empty: nobody but the own user comes in
  std::vector<std::string> names = {};  // of this server beside those of loopback; lower case
};

// Who is at the other end of a connection.
enum class Peer { own_user, stranger };

std::optional<Refusal> judge(const Request& request, const Rules& rules, Peer peer);

// Whether an address is the machine's own: 127.0.0.0/8, ::1, localhost.
bool is_loopback(std::string_view host);

}  // namespace notesdb::http
