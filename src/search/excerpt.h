// Excerpt: the part of a row that shows why it was found, the hits between ** and **.
//
//   … the open house of the **lantern** makers is on Friday. Bring your own **lantern** …
//
// 16 words, chosen as SQLite's snippet() chooses them: as many different words of the question as
// possible, best from the beginning of a sentence. Of each text only what stands from the first hit
// on is looked at, 64 KiB at most, so that the time grows with the text and not with its square;
// and an excerpt is never longer than 2 KiB.
#pragma once

#include <cstdint>
#include <functional>
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

// Hands over the words of a text one by one: folded, and where they stand. False ends it.
using TakeWord = std::function<bool(std::string_view word, std::size_t begin, std::size_t end)>;
using SplitWords = std::function<void(std::string_view text, const TakeWord& take)>;

// Of the first text where none has a hit.
std::string excerpt_of(std::span<const std::string> texts,
                       std::span<const Phrase> phrases,
                       const SplitWords& split);

}  // namespace notesdb::search
