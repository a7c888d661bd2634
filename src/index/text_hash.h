// A hash of a text, for tables in this process: it is never stored, and differs between machines.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace notesdb {

// A product's high bits depend on all bits of both factors, its low bits on the low ones alone:
// they are swapped between two multiplications, so that every bit of the word reaches every bit.
inline std::uint64_t mix_hash(std::uint64_t hash, std::uint64_t word) {
  constexpr std::uint64_t odd = 0x9E3779B97F4A7C15;
  hash = (hash ^ word) * odd;
  hash = std::rotl(hash, 32) * odd;
  return hash ^ (hash >> 32U);
}

// Every byte counts; the last word overlaps the one before.
inline std::uint64_t hash_text(std::string_view text, std::uint64_t seed) {
  const auto word_at = [&]<typename Word>(std::size_t place, Word word) -> std::uint64_t {
    std::memcpy(&word, text.data() + place, sizeof word);
    return word;
  };
  const std::size_t size = text.size();
  std::uint64_t hash = mix_hash(seed, size);
  if (size >= 8) {
    for (std::size_t at = 0; at + 8 < size; at += 8)
      hash = mix_hash(hash, word_at(at, std::uint64_t{}));
    return mix_hash(hash, word_at(size - 8, std::uint64_t{}));
  }
  if (size >= 4) {
    const std::uint64_t first = word_at(0, std::uint32_t{});
    return mix_hash(hash, first << 32U | word_at(size - 4, std::uint32_t{}));
  }
  for (const char c : text)
    hash = mix_hash(hash, static_cast<unsigned char>(c));
  return hash;
}

}  // namespace notesdb
