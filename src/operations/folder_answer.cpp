#include "operations/folder_answer.h"

#include <string>

#include "operations/answer.h"
#include "schema/document.h"

namespace notesdb {

Value check_result(const CheckAnswer& answer) {
  return Map{{"databases", answer.databases}, {"issues", to_value(answer.issues)}};
}

List fixed_fields(const std::vector<FixedFile>& files) {
  List fixed;
  for (const FixedFile& file : files)
    for (const FixedField& field : file.fields)
      fixed.push_back(Map{{"path", file.path},
                          {"line", static_cast<std::int64_t>(field.line)},
                          {"field", field.field},
                          {"rule", field.rule},
                          {"before", field.before},
                          {"after", field.after}});
  return fixed;
}

Value inferred_value(const Inferred& inferred) {
  List left_out;
  for (const LeftOut& one : inferred.left_out)
    left_out.push_back(
        Map{{"path", one.path}, {"files", static_cast<std::int64_t>(one.files)}, {"why", one.why}});
  List choices;
  for (const Choice& choice : inferred.choices)
    choices.push_back(Map{{"question", choice.question},
                          {"chosen", choice.options[choice.chosen]},
                          {"options", Value::list_of(choice.options)}});
  return Map{{"database_id", inferred.database_id},
             {"row_count", inferred.rows},
             {"schema", to_map(inferred.schema)},
             {"exceptions", to_value(inferred.exceptions)},
             {"why", List(inferred.why.begin(), inferred.why.end())},
             {"left_out", std::move(left_out)},
             {"choices", std::move(choices)}};
}

Value import_result(const ImportRequest& request, const ImportAnswer& answer) {
  Value value = Map{{"database_id", request.database_id},
                    {"created", answer.created},
                    {"inserted", answer.inserted},
                    {"updated", answer.updated},
                    {"unchanged", answer.unchanged}};
  return with_receipt(std::move(value), answer);
}

Error import_refusal(const ImportAnswer& answer) {
  const std::size_t count = answer.issues.size();
  return {ErrorCode::invalid_value,
          std::to_string(count) + (count == 1 ? " problem" : " problems") +
              " in the file; nothing was imported",
          Map{{"issues", to_value(answer.issues)}}};
}

}  // namespace notesdb
