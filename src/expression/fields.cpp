#include "expression/fields.h"

#include <algorithm>
#include <array>
#include <vector>

#include "core/error.h"
#include "core/link.h"
#include "expression/date_text.h"
#include "expression/evaluation.h"
#include "expression/text_parts.h"

namespace notesdb::expression {

namespace {

using R = Receiver;

Clock clock_in(Evaluation& evaluation, const Value& self) {
  return clock_of(self.date().milliseconds, evaluation.zone());
}

template <int Clock::*part>
Value part_in(Evaluation& evaluation, const Value& self) {
  return static_cast<double>(clock_in(evaluation, self).*part);
}

template <int unit>
Value length_in(Evaluation& /*evaluation*/, const Value& self) {
  return milliseconds_of(self.duration()) / unit;
}

Value length_of_text(Evaluation& /*evaluation*/, const Value& self) {
  return static_cast<double>(character_count(self.string()));
}

Value length_of_list(Evaluation& /*evaluation*/, const Value& self) {
  return static_cast<double>(self.list().size());
}

Value name_of_file(Evaluation& /*evaluation*/, const Value& self) {
  const PathParts parts = parts_of(self.file().path());
  return std::string(parts.ending == "md" ? parts.stem : parts.name);
}

Value stem_of_file(Evaluation& /*evaluation*/, const Value& self) {
  return std::string(parts_of(self.file().path()).stem);
}

Value folder_of_file(Evaluation& /*evaluation*/, const Value& self) {
  return std::string(parts_of(self.file().path()).folder);
}

Value ending_of_file(Evaluation& /*evaluation*/, const Value& self) {
  return std::string(parts_of(self.file().path()).ending);
}

template <auto getter>
Value of_file(Evaluation& /*evaluation*/, const Value& self) {
  return (self.file().*getter)();
}

Value file_itself(Evaluation& /*evaluation*/, const Value& self) {
  return self;
}

constexpr std::array<Field, 28> fields{{
    {"year", R::date, "The year.", part_in<&Clock::year>},
    {"month", R::date, "The month, 1 to 12.", part_in<&Clock::month>},
    {"day", R::date, "The day of the month.", part_in<&Clock::day>},
    {"hour", R::date, "The hour, 0 to 23.", part_in<&Clock::hour>},
    {"minute", R::date, "The minute.", part_in<&Clock::minute>},
    {"second", R::date, "The second.", part_in<&Clock::second>},
    {"millisecond", R::date, "The millisecond.", part_in<&Clock::millisecond>},
    {"days", R::duration, "The whole length in days.", length_in<86'400'000>},
    {"hours", R::duration, "The whole length in hours.", length_in<3'600'000>},
    {"minutes", R::duration, "The whole length in minutes.", length_in<60'000>},
    {"seconds", R::duration, "The whole length in seconds.", length_in<1'000>},
    {"milliseconds", R::duration, "The whole length in milliseconds.", length_in<1>},
    {"length", R::string, "How many characters it has.", length_of_text},
    {"length", R::list, "How many items it has.", length_of_list},
    {"name", R::file, "The name; without its ending where that is md.", name_of_file},
    {"basename", R::file, "The name without its ending.", stem_of_file},
    {"path", R::file, "The path from the root.", of_file<&File::path>},
    {"folder", R::file, "The path of its folder; empty at the root.", folder_of_file},
    {"ext", R::file, "The ending.", ending_of_file},
    {"size", R::file, "How many bytes it has.", of_file<&File::size>},
    {"ctime", R::file, "When it was made.", of_file<&File::created>},
    {"mtime", R::file, "When it was changed.", of_file<&File::modified>},
    {"tags", R::file, "Its tags, of front matter and body, without #.", of_file<&File::tags>},
    {"links", R::file, "Its links, of front matter and body, embeds too.", of_file<&File::links>},
    {"embeds", R::file, "What it embeds.", of_file<&File::embeds>},
    {"backlinks", R::file, "Links to the files that link to it.", of_file<&File::backlinks>},
    {"properties", R::file, "Its front matter.", of_file<&File::properties>},
    {"file", R::file, "The file itself.", file_itself},
}};

}  // namespace

std::span<const Field> all_fields() {
  return fields;
}

const Field* find_field(Receiver receiver, std::string_view name) {
  const auto* found = std::ranges::find_if(
      fields, [&](const Field& field) { return field.receiver == receiver && field.name == name; });
  return found == fields.end() ? nullptr : found;
}

std::string why_no_field_of_file(std::string_view name) {
  if (find_field(Receiver::file, name) != nullptr) return {};
  std::vector<std::string> names;
  for (const Field& field : fields)
    if (field.receiver == Receiver::file) names.emplace_back(field.name);
  return unknown_name(ErrorCode::unknown_field, "field of file", name, names).message;
}

}  // namespace notesdb::expression
