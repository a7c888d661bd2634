// ReadSet: which states of which databases a piece of work was told, so that it can be known later
// whether it would be told the same again.
//
//   ReadSet read_set;                                   // from here on, of this thread
//   const std::string answer = ...;
//   const std::optional<States> told = read_set.states();
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
using States = std::vector<Told>;

class ReadSet {
 public:
  ReadSet();
  ~ReadSet();
  ReadSet(const ReadSet&) = delete;
  ReadSet& operator=(const ReadSet&) = delete;

  // Nothing where the work met what no state can stand for: a database that is not there, a folder
  // that cannot be read.
  std::optional<States> states() const;

  // For those who tell; without a read_set in this thread they cost nothing.
  static void note(const Told& told);
  static void note_failure();

 private:
  ReadSet* outer_;
  States states_;
  bool has_failed_ = false;
};

// Whether every database is still in the state that was told. Looks as a question would.
bool holds(const States& states);

}  // namespace notesdb
