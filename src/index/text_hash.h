// A hash of a text, for tables in this process: it is never stored, and differs between machines.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/text.h"

namespace notesdb {

// Both halves of the product, so that every bit of both words reaches every bit.
inline std::uint64_t mix_hash(std::uint64_t a, std::uint64_t b) {
  __extension__ using Product = unsigned __int128;
  const Product product = static_cast<Product>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64U);
}

inline std::uint64_t hash_words(const EndWords& words, std::uint64_t seed) {
  constexpr std::uint64_t odd = 0x9E3779B97F4A7C15;
  return mix_hash(mix_hash(words.head ^ seed, words.tail ^ odd) ^ seed, odd);
}

// Every byte counts; the last words overlap those before.
inline std::uint64_t hash_text(std::string_view text, std::uint64_t seed) {
  std::uint64_t hash = mix_hash(seed ^ 0xD1B54A32D192ED03, text.size() + 1);
  for (; text.size() > EndWords::whole; text.remove_prefix(EndWords::whole))
    hash = hash_words(end_words(text.data(), EndWords::whole), hash);
  return hash_words(end_words(text.data(), text.size()), hash);
}

}  // namespace notesdb
