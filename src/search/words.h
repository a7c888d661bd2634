// Words: a text as the words that a search compares.
//
//   split_words("Łódź, 東京の会議", ...)    lodz  東  京  の  会  議
//
// A run of letters and digits is a word. Scripts that leave no spaces between words (Han, kana,
// Hangul, Thai, Lao, Khmer, Myanmar) give one word a character, so that a phrase finds any part of
// them. Texts that are alike to a reader give the same words: compatibility forms (half-width kana,
// ligatures, decomposed Hangul) are one, case does not count, nor do diacritics, nor the strokes of
// ø, ł and đ. й stays a letter of its own, as in any Russian dictionary.
//
// Another rule here is another index_version (search/text_index.h). Pure.
#pragma once

#include <functional>
#include <string_view>

namespace notesdb::search {

// A word, and the bytes of the text that it was made of. Two words may come from the same bytes
// ("½"). False ends the splitting.
using TakeWord = std::function<bool(std::string_view word, std::size_t begin, std::size_t end)>;

void split_words(std::string_view text, const TakeWord& take);

}  // namespace notesdb::search
