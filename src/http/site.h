// Site: the page that people look at, as files that the program carries.
//
// The shell is answered at /, everything else at a name that changes with its content and may be
// kept for ever. None of it holds data; what it may do in a browser is said by its headers: run
// nothing but its own scripts, talk to nobody but this server, stand in no frame.
#pragma once

#include <span>
#include <string_view>

#include "http/guard.h"

namespace notesdb::http {

struct Asset {
  std::string_view path;  // "/assets/page-1f2e3d.js"
  std::string_view type;  // "text/javascript; charset=utf-8"
  std::string_view plain;
  std::string_view gzip;  // the same, compressed
};

using Assets = std::span<const Asset>;

// What the build has made of web/; empty where it was told to leave the page out. Defined in a
// source that the build writes.
Assets page_assets();

// What `path` is answered with: 404 where there is nothing of that name. Without assets / says in a
// line what is served.
Answer site_answer(const Assets& assets, const Request& request);

}  // namespace notesdb::http
