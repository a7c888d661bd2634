// Infer column: the column that the values under one key make.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/column.h"
#include "note/note.h"

namespace notesdb {

// Observed: what the notes of a folder hold under each key, before anybody says what it means.

// What a value looks like to someone who knows no schema.
enum class Look : std::uint8_t {
  empty,
  checkbox,
  number,
  date,
  datetime,
  url,
  link,
  text,
  list,
  map
};

struct Observation {
  std::uint32_t file = 0;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  Look look = Look::empty;
  bool is_list = false;            // an empty one too
  bool is_decimal = false;         // 1.10: a number, or a version's name
  std::string text;                // of a scalar
  std::vector<std::string> items;  // of a list of scalars
};

struct ObservedKey {
  std::vector<Observation> values;  // one for each note that has the key and can be read there
  std::size_t unreadable = 0;       // notes in which the field is broken
  std::size_t notes() const { return values.size() + unreadable; }
};

struct Observed {
  std::map<std::string, ObservedKey, std::less<>> keys;
  // How many notes have just these keys in this order.
  std::map<std::vector<std::string>, std::size_t> orders;
};

// All keys, as most notes have them: those of the usual notes in their order, each of the others
// after the key that stands before it.
std::vector<std::string> keys_in_order(const Observed& observed);

// Adds one note.
void observe(const Note& note, std::uint32_t file, Observed& observed);
// Adds what another thread has seen.
void absorb(Observed&& more, Observed& observed);

// What a text looks like, between quotes and without them.
Look look_of_text(std::string_view text);
Look look_of_plain(std::string_view text);

// A value that is not as the others are.
struct InvalidValue {
  const Observation* value;
  std::string message;
};

struct InferredColumn {
  Column column;
  std::vector<InvalidValue> invalid_values;
};

// The database whose rows most of these texts name; empty if there is none.
using FindTarget = std::function<std::optional<std::string>(const std::vector<std::string>&)>;

// `notes` is how many there are in all; `chosen` is the type that somebody has given the key already.
InferredColumn infer_column(const std::string& key,
                            const ObservedKey& seen,
                            std::size_t notes,
                            const FindTarget& find_target,
                            std::optional<ColumnType> chosen = std::nullopt);

}  // namespace notesdb
