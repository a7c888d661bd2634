// Foreign heads: front matter of other programs, which notesdb tells apart and does not write.
//
//   ;;;             members of a JSON object, without braces (Hexo, Middleman)
//   ---json         a language after the fence: ---json, ---toml, ---js (gray-matter)
//   ```toml         a fenced block (RustSec)
//   title: Dune     keys on the first lines, up to a space one (MultiMarkdown, MkDocs)
//   % Dune          title, authors, date (Pandoc)
//   #+TITLE: Dune   (Org)
#pragma once

#include <string_view>

namespace notesdb {

// Names the form a text begins with, as a message does: "an Org header"; empty if there is none.
// `text` has no byte order mark. The name lives forever.
std::string_view foreign_head(std::string_view text);

}  // namespace notesdb
