// Note text: the links, embeds and tags of a body, as Obsidian sees them.
//
//   [[Other#Section|alias]]   ![[Image.png]]   [text](Some%20Note.md)   ![alt](a.png)   #tag/sub
//
// What stands in code, fenced or between backticks, counts for nothing. Markdown links to web
// addresses are none. Pure; every character is looked at a bounded number of times.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace notesdb::bases {

struct TextLink {
  std::string target;   // with what stands behind '#'
  std::string display;  // what a reader sees
  bool is_embed = false;
};

struct TextParts {
  std::vector<TextLink> links{};  // in order
  std::vector<std::string> tags{};
};

TextParts parts_of_text(std::string_view body);

// The link that a text of front matter is from end to end, wiki or markdown; its display is empty
// where it has none of its own. Empty target: it is none.
TextLink link_of_field(std::string_view text);

}  // namespace notesdb::bases
