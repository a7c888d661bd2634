#include "index/natural_sort.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "core/text.h"

namespace notesdb {
namespace {

// A run of digits becomes '0', its length without leading zeros in two bytes, and the digits left:
// then a longer number is greater, and digits stand to other characters as they did.
void append_key(std::string_view id, std::string& key) {
  for (std::size_t at = 0; at < id.size();) {
    std::size_t end = at;
    while (end < id.size() && !is_digit(id[end]))
      ++end;
    key += id.substr(at, end - at);
    if (end == id.size()) return;
    at = end;
    while (end < id.size() && is_digit(id[end]))
      ++end;
    while (at < end && id[at] == '0')
      ++at;
    const std::size_t length = end - at;
    key += '0';
    key += static_cast<char>((length >> 8U) & 0xFFU);
    key += static_cast<char>(length & 0xFFU);
    key += id.substr(at, length);
    at = end;
  }
}

// Small, since sorting moves it about.
struct Place {
  std::uint64_t first = 0;  // eight bytes of the key after what all keys share, big-endian
  std::size_t index = 0;
};

std::uint64_t first_word(std::string_view key) {
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < 8; ++i) {
    word = (word << 8U) | (i < key.size() ? static_cast<unsigned char>(key[i]) : 0U);
  }
  return word;
}

std::size_t shared_prefix(const std::vector<std::string_view>& keys) {
  std::string_view shared = keys.front();
  for (const std::string_view key : keys) {
    const auto differing = std::ranges::mismatch(shared, key).in1;
    shared = shared.substr(0, static_cast<std::size_t>(differing - shared.begin()));
  }
  return shared.size();
}

}  // namespace

void sort_naturally(const RowNames& names, std::vector<std::string>& paths) {
  if (paths.size() < 2) return;
  std::string block;
  std::vector<std::size_t> ends;
  ends.reserve(paths.size());
  for (const std::string& path : paths) {
    append_key(names.id_of(path), block);
    ends.push_back(block.size());
  }
  std::vector<std::string_view> keys(paths.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::size_t begin = i == 0 ? 0 : ends[i - 1];
    keys[i] = std::string_view(block).substr(begin, ends[i] - begin);
  }
  const std::size_t shared = shared_prefix(keys);
  std::vector<Place> places(paths.size());
  for (std::size_t i = 0; i < keys.size(); ++i)
    places[i] = {first_word(keys[i].substr(shared)), i};
  std::sort(places.begin(), places.end(), [&](const Place& a, const Place& b) {
    if (a.first != b.first) return a.first < b.first;
    const int order = keys[a.index].compare(keys[b.index]);
    return order != 0 ? order < 0
                      : std::string_view(names.id_of(paths[a.index])) <
                            std::string_view(names.id_of(paths[b.index]));
  });
  std::vector<std::string> sorted;
  sorted.reserve(paths.size());
  for (const Place& place : places)
    sorted.push_back(std::move(paths[place.index]));
  paths = std::move(sorted);
}

}  // namespace notesdb
