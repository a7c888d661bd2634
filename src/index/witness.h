// Witness: which states of which databases a piece of work was told, so that it can be known later
// whether it would be told the same again.
//
//   Witness witness;                                   // from here on, of this thread
//   const std::string answer = ...;
//   const std::optional<Testimony> told = witness.testimony();
//   ...
//   if (told && holds(*told)) ...                      // the answer would be the same now
//
// It sees what a RowCache tells and nothing else: work that reads files in other ways must not be
// judged by it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace notesdb {

class RowCache;

struct Told {
  RowCache* cache = nullptr;
  std::uint64_t state = 0;  // RowCache::state()
  friend bool operator==(const Told&, const Told&) = default;
};
using Testimony = std::vector<Told>;

class Witness {
 public:
  Witness();
  ~Witness();
  Witness(const Witness&) = delete;
  Witness& operator=(const Witness&) = delete;

  // Nothing where the work met what no state can stand for: a database that is not there, a folder
  // that cannot be read.
  std::optional<Testimony> testimony() const;

  // For those who tell; without a witness in this thread they cost nothing.
  static void note(const Told& told);
  static void note_failure();

 private:
  Witness* outer_;
  Testimony told_;
  bool has_failed_ = false;
};

// Whether every database is still in the state that was told. Looks as a question would.
bool holds(const Testimony& testimony);

}  // namespace notesdb
