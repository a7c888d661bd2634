#include "exchange/new_ids.h"

#include <algorithm>

#include "files/names.h"
#include "index/paths.h"

namespace notesdb {

NewIds::NewIds(const DatabaseFolder& folder, const RowListing& listing)
    : schema_(folder.schema()), folder_of_new_(folder.names().folder_of_new()) {
  for (const std::string& path : listing.paths) {
    const std::string id(folder.names().id_of(path));
    counter_ =
        std::max(counter_, counter_of(id, folder_of_new_ + schema_.row_id.prefix).value_or(0));
    by_folded_.emplace(folded_name(id), id);
  }
}

bool NewIds::has(const std::string& id) const {
  return by_folded_.contains(folded_name(id));
}

Result<std::string> NewIds::take(const std::string& wanted, std::string_view source) {
  std::string id = wanted.empty() ? make_row_id(schema_, folder_of_new_, *this, source) : wanted;
  if (auto allowed = check_new_row_id(id); !allowed) return allowed.error();
  const auto [other, is_new] = by_folded_.emplace(folded_name(id), id);
  if (!is_new) {
    const std::string message = other->second == id
                                    ? "the row '" + id + "' exists already"
                                    : "the row ids '" + id + "' and '" + other->second +
                                          "' would be one file on systems that fold names";
    return Error{ErrorCode::already_exists, message, Map{}};
  }
  if (const auto number = counter_of(id, folder_of_new_ + schema_.row_id.prefix)) {
    counter_ = std::max(counter_, *number);
    highest_new_ = std::max(highest_new_.value_or(0), *number);
  }
  return id;
}

}  // namespace notesdb
