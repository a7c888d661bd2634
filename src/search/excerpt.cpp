#include "search/excerpt.h"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <utility>

#include "core/budget.h"
#include "search/words.h"

namespace notesdb::search {
namespace {

constexpr std::size_t max_words = 16;
constexpr std::size_t max_characters = 48;  // each a word, as Chinese has them
constexpr std::size_t max_bytes_behind_first_hit = std::size_t{64} << 10;
constexpr std::size_t max_hits = 20'000;
constexpr std::size_t max_excerpt_bytes = std::size_t{2} << 10;
constexpr std::string_view mark = "**";
constexpr std::string_view ellipsis = "…";

// What snippet() gives for a word of the question, for one more of the same, and for where the
// excerpt begins.
constexpr int score_of_phrase = 1000;
constexpr int score_of_repetition = 1;
constexpr int score_of_sentence = 100;
constexpr int score_of_beginning = 120;

struct Word {
  std::size_t begin = 0;
  std::size_t end = 0;
};

struct Hit {
  std::size_t first = 0;  // word
  std::size_t last = 0;
  std::size_t phrase = 0;
};

// A text from a little before its first hit on.
struct Window {
  std::size_t first_word = 0;  // how many words stand before the window
  std::deque<Word> words;
  std::vector<Hit> hits;                     // by place
  std::vector<std::size_t> sentences;        // the words that begin one
  std::optional<std::size_t> count_of_text;  // its words; empty where it was not read to its end
  std::size_t adjoining = 0;                 // words that begin where the one before ends

  std::size_t end() const { return first_word + words.size(); }
  // How many words an excerpt has.
  std::size_t max() const { return adjoining * 2 > words.size() ? max_characters : max_words; }
  const Word& word(std::size_t place) const { return words[place - first_word]; }
};

// Which phrases end with a word, given the words before it.
class PhraseFinder {
 public:
  explicit PhraseFinder(std::span<const Phrase> phrases) : phrases_(phrases) {
    for (std::size_t i = 0; i < phrases.size(); ++i) {
      const Phrase& phrase = phrases[i];
      longest_ = std::max(longest_, phrase.words.size());
      if (phrase.is_prefix) {
        prefixes_.push_back(i);
      } else {
        by_last_word_[phrase.words.back()].push_back(i);
      }
    }
  }

  std::size_t longest() const { return longest_; }

  template <typename Found>
  void take(std::string_view word, const Found& found) {
    if (longest_ > 1) {
      before_.emplace_back(word);
      if (before_.size() > longest_) before_.pop_front();
    }
    const auto known = by_last_word_.find(word);
    if (known != by_last_word_.end()) {
      for (const std::size_t phrase : known->second)
        if (ends_here(phrase)) found(phrase);
    }
    for (const std::size_t phrase : prefixes_)
      if (word.starts_with(phrases_[phrase].words.back()) && ends_here(phrase)) found(phrase);
  }

 private:
  bool ends_here(std::size_t phrase) const {
    const auto& words = phrases_[phrase].words;
    if (words.size() == 1) return true;
    if (words.size() > before_.size()) return false;
    return std::equal(words.rbegin() + 1, words.rend(), before_.rbegin() + 1);
  }

  std::span<const Phrase> phrases_;
  std::map<std::string, std::vector<std::size_t>, std::less<>> by_last_word_;
  std::vector<std::size_t> prefixes_;
  std::size_t longest_ = 1;
  std::deque<std::string> before_;
};

// Whether a sentence begins with the word at this place: after a full stop or a colon, and a
// space.
bool begins_sentence(std::string_view text, std::size_t place) {
  const std::size_t last = text.substr(0, place).find_last_not_of(" \t\r\n");
  if (last == std::string_view::npos || last + 1 == place) return false;
  return text[last] == '.' || text[last] == ':';
}

Window window_of(std::string_view text, std::span<const Phrase> phrases) {
  Window window;
  PhraseFinder finder(phrases);
  std::size_t place = 0;
  std::size_t end_of_look = std::string_view::npos;
  std::uint32_t looked_at = 0;
  bool is_cut = false;
  split_words(text, [&](std::string_view word, std::size_t begin, std::size_t end) {
    Budget::look_rarely(looked_at);
    is_cut = begin > end_of_look || window.hits.size() > max_hits;
    if (is_cut) return false;
    if (!window.words.empty() && window.words.back().end == begin) ++window.adjoining;
    window.words.push_back({begin, end});
    if (place == 0 || begins_sentence(text, begin)) window.sentences.push_back(place);
    finder.take(word, [&](std::size_t phrase) {
      window.hits.push_back({place + 1 - phrases[phrase].words.size(), place, phrase});
    });
    if (window.hits.empty()) {
      if (window.words.size() > max_characters + finder.longest()) {
        if (window.words[0].end == window.words[1].begin) --window.adjoining;
        window.words.pop_front();
        ++window.first_word;
      }
      if (window.sentences.size() > 1) window.sentences.erase(window.sentences.begin());
    } else if (end_of_look == std::string_view::npos) {
      end_of_look = end + max_bytes_behind_first_hit;
    }
    ++place;
    return true;
  });
  if (!is_cut) window.count_of_text = place;
  std::ranges::sort(
      window.hits, {}, [](const Hit& hit) { return std::pair(hit.first, hit.phrase); });
  return window;
}

struct Choice {
  int score = 0;
  std::size_t first = 0;
};

// The hits that begin among the words of an excerpt.
std::span<const Hit> hits_from(const Window& window, std::size_t first) {
  const auto begin = std::ranges::lower_bound(window.hits, first, {}, &Hit::first);
  const auto end = std::ranges::lower_bound(window.hits, first + window.max(), {}, &Hit::first);
  return {begin, end};
}

int score_of(std::span<const Hit> hits) {
  int score = 0;
  std::vector<std::size_t> seen;
  for (const Hit& hit : hits) {
    const bool is_new = std::ranges::find(seen, hit.phrase) == seen.end();
    score += is_new ? score_of_phrase : score_of_repetition;
    if (is_new) seen.push_back(hit.phrase);
  }
  return score;
}

// Where an excerpt begins that has these hits in its middle.
std::size_t around(const Window& window, std::span<const Hit> hits) {
  const std::size_t wide = std::min(hits.back().last + 1 - hits.front().first, window.max());
  const std::size_t before = (window.max() - wide) / 2;
  std::size_t first = hits.front().first - std::min(hits.front().first, before);
  if (window.count_of_text && first + window.max() > *window.count_of_text) {
    first = *window.count_of_text - std::min(*window.count_of_text, window.max());
  }
  return std::max(first, window.first_word);
}

// Tries an excerpt around each hit, and one from the sentence before it.
Choice best_of(const Window& window) {
  Choice best;
  const auto offer = [&](int score, std::size_t first) {
    if (score > best.score) best = {score, first};
  };
  std::size_t sentence = 0;
  const bool is_short = window.count_of_text && *window.count_of_text <= window.max();
  for (const Hit& hit : window.hits) {
    const auto hits = hits_from(window, hit.first);
    offer(score_of(hits), around(window, hits));
    const auto& sentences = window.sentences;
    if (is_short || sentences.empty()) continue;
    while (sentence + 1 < sentences.size() && sentences[sentence + 1] <= hit.first)
      ++sentence;
    const std::size_t first = sentences[sentence];
    if (first >= hit.first || first < window.first_word) continue;
    const int bonus = first == 0 ? score_of_beginning : score_of_sentence;
    offer(score_of(hits_from(window, first)) + bonus, first);
  }
  return best;
}

// Hits that overlap are one.
std::vector<Hit> joined_hits(std::span<const Hit> hits) {
  std::vector<Hit> joined;
  for (const Hit& hit : hits) {
    if (!joined.empty() && hit.first <= joined.back().last) {
      joined.back().last = std::max(joined.back().last, hit.last);
    } else {
      joined.push_back(hit);
    }
  }
  return joined;
}

// A text that grows up to a length, and then ends between two characters.
class Bounded {
 public:
  void add(std::string_view part) {
    if (is_full_) return;
    std::size_t length = std::min(part.size(), max_excerpt_bytes - text_.size());
    is_full_ = length < part.size();
    while (is_full_ && length > 0 && (static_cast<unsigned char>(part[length]) & 0xC0U) == 0x80U)
      --length;
    text_ += part.substr(0, length);
  }
  void add_always(std::string_view part) { text_ += part; }
  bool is_full() const { return is_full_; }
  std::string take() && { return std::move(text_); }

 private:
  std::string text_;
  bool is_full_ = false;
};

std::string shown(std::string_view text, const Window& window, std::size_t first) {
  Bounded out;
  const std::size_t end = std::min(first + window.max(), window.end());
  if (first > 0) out.add(ellipsis);
  if (end <= first) {
    out.add(text);
    if (out.is_full()) out.add_always(ellipsis);
    return std::move(out).take();
  }
  std::size_t done = first == 0 ? 0 : window.word(first).begin;
  for (const Hit& hit : joined_hits(window.hits)) {
    if (hit.last < first || hit.first >= end || out.is_full()) continue;
    // Two words may be made of the same bytes.
    const std::size_t begin_of_hit = std::max(window.word(std::max(hit.first, first)).begin, done);
    const std::size_t end_of_hit = window.word(std::min(hit.last, end - 1)).end;
    if (end_of_hit <= begin_of_hit) continue;
    out.add(text.substr(done, begin_of_hit - done));
    if (out.is_full()) break;
    out.add_always(mark);
    out.add(text.substr(begin_of_hit, end_of_hit - begin_of_hit));
    out.add_always(mark);
    done = end_of_hit;
  }
  const bool is_end = window.count_of_text && end >= *window.count_of_text;
  const std::size_t end_of_excerpt = is_end ? text.size() : window.word(end - 1).end;
  if (end_of_excerpt > done) out.add(text.substr(done, end_of_excerpt - done));
  if (!is_end || out.is_full()) out.add_always(ellipsis);
  return std::move(out).take();
}

}  // namespace

std::string excerpt_of(std::span<const std::string> texts, std::span<const Phrase> phrases) {
  std::string excerpt;
  int most = 0;
  for (const std::string& text : texts) {
    const Window window = window_of(text, phrases);
    const Choice best = best_of(window);
    if (best.score / score_of_phrase <= most) continue;
    most = best.score / score_of_phrase;
    excerpt = shown(text, window, best.first);
  }
  return excerpt;
}

}  // namespace notesdb::search
