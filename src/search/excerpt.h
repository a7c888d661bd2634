// Excerpt: the part of a row that shows why it was found, the hits between ** and **.
//
//   … the open house of the **lantern** makers is on Friday. Bring your own **lantern** …
//
// 16 words (48 where most of them are characters without spaces between them), chosen as SQLite's
// snippet() chooses them: as many different words of the question as possible, best from the
// beginning of a sentence. Of each text only what stands from the first hit
// on is looked at, 64 KiB at most, so that the time grows with the text and not with its square;
// and an excerpt is never longer than 2 KiB.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace notesdb::search {

// Words that follow each other, folded as the tokenizer folds them.
struct Phrase {
  std::vector<std::string> words;
  bool is_prefix = false;  // its last word is the beginning of one
};

// Of the text that has the most different phrases, of several the first; empty where none has one.
std::string excerpt_of(std::span<const std::string> texts, std::span<const Phrase> phrases);

}  // namespace notesdb::search
