// ValueOwners: which row has which value of a column whose values tell rows apart.
#pragma once

#include <map>
#include <string>

#include "core/schema.h"
#include "core/value.h"
#include "query/comparison.h"

namespace notesdb {

class ValueOwners {
 public:
  // A row that is there, or one that an operation makes or changes.
  struct Owner {
    std::string row_id;
    std::string place{};  // where the operation came from: "line 4"; empty: nowhere that has a name
  };

  // `column` is one of the schema's; a schema without it owns nothing.
  ValueOwners(const Schema& schema, const std::string& column);

  // As filters compare: 1 and 1.0 are one value. Empty values are nobody's.
  const Owner* find(const Value& value) const;
  // Does nothing where the value has an owner.
  void add(const Value& value, Owner owner);
  // The row gives up its value, for another that it should get.
  void release(const std::string& row_id);
  // Whether two rows that are there have the value, so that it names none of them.
  bool is_shared(const Value& value) const;

 private:
  struct Entry {
    Owner owner;
    bool shared = false;
  };
  const Entry* entry(const Value& value) const;

  Field field_;
  std::map<Rank, Entry> by_value_;
  std::map<std::string, Rank> by_row_;
};

}  // namespace notesdb
