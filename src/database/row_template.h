// Row templates: what a new row holds before the caller's fields come.
//
//   title: "Meeting {{date}}"          the caller's variables, {{date}}, {{time}} and {{title}}
//   fields: { status: open }
//   body: "# {{title}}\n\n{{agenda}}"
//
// The place of a {{name}} that nobody gives is empty, and a field of nothing else is left out; the
// names are told.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/date.h"
#include "core/schema.h"

namespace notesdb {

struct Prefilled {
  Map fields;
  std::string body;
  std::vector<std::string> unfilled;  // variables that nobody gave, each once
};

// The column that holds a row's title: `title`, else `name`, else one whose id ends so
// (display_name), else the first required text column, else the first text column; a null pointer
// if there is none.
const Column* title_column(const Schema& schema);

// The variables that a caller may give: those of the template, and date, time and title.
std::vector<std::string> variables_of(const Template& chosen);

// `given` are the caller's fields, which win over the template's and are left out.
Prefilled fill_template(const Schema& schema,
                        const Template& chosen,
                        const Map& given,
                        const Map& variables,
                        Timestamp now);

}  // namespace notesdb
