// JSON texts that people write by hand: one member set, every other byte kept: comments, order,
// spacing, numbers as they are spelled.
//
// Pure: texts in, texts out. Comments and trailing commas are taken, as editors do.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "core/result.h"

namespace notesdb {

// Sets text[group][name] to `value`, in the manner of its neighbours. A blank text is an empty
// object; a group that is missing or null is made. Fails with malformed_file if the text or its
// group is not an object.
Result<std::string> with_json_member(std::string_view text,
                                     const std::string& group,
                                     const std::string& name,
                                     const nlohmann::ordered_json& value);

// The value of text[group][name]; null if there is none.
nlohmann::ordered_json json_member(std::string_view text,
                                   const std::string& group,
                                   const std::string& name);

// The members of the text itself; null if it is no object.
nlohmann::ordered_json json_members(std::string_view text);

// The members of text[group]; null if there is no such object.
nlohmann::ordered_json json_group(std::string_view text, const std::string& group);

// The text without text[group][name]; as it is if there is none. Fails with malformed_file if it is
// not JSON.
Result<std::string> without_json_member(std::string_view text,
                                        const std::string& group,
                                        const std::string& name);

}  // namespace notesdb
