// Meant rows: which row a text means where a relation takes an id and no row has it.
//
//   assignee = Ada Okafor   ->   'Ada Okafor' is not a row of people; did you mean 'ada-okafor'
//                                (Ada Okafor)?
#pragma once

#include <string>

#include "core/error.h"
#include "operations/operation.h"

namespace notesdb {

// What an answer to these filters says beside its rows: values that relations are compared with and
// that no row has as its id. Only looks where such a value decides: where nothing matched, or where
// the operator is negated. Empty if there are none.
std::string unknown_rows_notice(const Call& call, const Value& filters, std::int64_t total);

// A refusal of `fields`, with the rows that their relations may mean after its message.
Error with_meant_rows(Error error, const Call& call);

}  // namespace notesdb
