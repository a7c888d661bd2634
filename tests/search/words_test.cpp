// Words: what texts are alike to a search.
#include "search/words.h"

#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "core/text.h"

namespace notesdb::search {
namespace {

using Texts = std::vector<std::string>;

Texts words(std::string_view text) {
  Texts found;
  split_words(text, [&](std::string_view word, std::size_t begin, std::size_t end) {
    CHECK(begin < end);
    CHECK(end <= text.size());
    found.emplace_back(word);
    return true;
  });
  return found;
}

TEST_CASE("words are runs of letters and digits, in lower case", "[words]") {
  CHECK(words("The open-house: 12:30, don't_Stop") ==
        Texts{"the", "open", "house", "12", "30", "don", "t", "stop"});
  CHECK(words("").empty());
  CHECK(words(" -- … 🎉 ").empty());
  CHECK(words("a\xFFz \xE6\x9D").size() == 2);
  CHECK(words("co\u00ADoperate") == Texts{"cooperate"});
}

TEST_CASE("diacritics and strokes do not count", "[words]") {
  CHECK(words("Łódź ÅNGSTRÖM Smørrebrød Đặng Straße STRASSE Ærø") ==
        Texts{"lodz", "angstrom", "smorrebrod", "dang", "strasse", "strasse", "aero"});
  CHECK(words("ёлка Ёлка Ελλάς") == Texts{"елка", "елка", "ελλασ"});
  CHECK(words("שָׁלוֹם كِتَاب") == Texts{"שלום", "كتاب"});
}

TEST_CASE("marks that make another word stay", "[words]") {
  CHECK(words("мой") != words("мои"));
  CHECK(words("мои\u0306") == words("мой"));
  CHECK(words("हिन्दी भाषा").size() == 2);
  CHECK(words("हिन्दी") != words("हन्दी"));
  CHECK(words("ガ") != words("カ"));
}

TEST_CASE("scripts without spaces give a word a character", "[words]") {
  CHECK(words("東京tokyo都") == Texts{"東", "京", "tokyo", "都"});
  CHECK(words("ラーメン々") == Texts{"ラ", "ー", "メ", "ン", "々"});
  CHECK(words("회의실").size() == 3);
  CHECK(words("การ๒๕").size() == 4);
  CHECK(words("ខ្មែរ").size() == 5);
  CHECK(words("မြန်မာ").size() == 6);
  CHECK(words("𠮷野家").size() == 3);
}

TEST_CASE("compatible and composed forms are alike", "[words]") {
  CHECK(words("ｶﾞﾂｷｭｳ ＡＢＣ１２ ﬁne Ⅳ ㎏") ==
        Texts{"カ\u3099", "ツ", "キ", "ュ", "ウ", "abc12", "fine", "iv", "kg"});
  CHECK(words("ガ") == words("ｶﾞ"));
  CHECK(words("½") == Texts{"1", "2"});
  CHECK(words("\u1112\u1161\u11ab\u1100\u1173\u11af") == words("한글"));
  for (const char* text :
       {"e\u0301te\u0301 ño\u0308 Å", "か\u3099は\u309a", "\u1112\u1174\u110b\u1174", "क\u093c"})
    CHECK(words(text) == words(to_nfc(text)));
}

TEST_CASE("a word says which bytes it is made of", "[words]") {
  const std::string text = "x Łódź。東京";
  Texts parts;
  split_words(text, [&](std::string_view, std::size_t begin, std::size_t end) {
    parts.push_back(text.substr(begin, end - begin));
    return parts.size() < 3;
  });
  CHECK(parts == Texts{"x", "Łódź", "東"});
}

}  // namespace
}  // namespace notesdb::search
