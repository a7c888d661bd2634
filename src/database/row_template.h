// Row templates: what a new row holds before the caller's fields come.
//
//   title: "Meeting {{date}}"          the caller's variables, {{date}}, {{time}} and {{title}}
//   fields: { status: open }
//   body: "# {{title}}\n\n{{agenda}}"
//
// A {{name}} that nobody gives stays as it is, so that a person sees what is missing.
#pragma once

#include <string>
#include <string_view>

#include "core/date.h"
#include "core/schema.h"

namespace notesdb {

struct Prefilled {
  Map fields;
  std::string body;
};

// The column that holds a row's title: `title`, else `name`, else one whose id ends so
// (display_name), else the first required text column, else the first text column; a null pointer
// if there is none.
const Column* title_column(const Schema& schema);

// `given` are the caller's fields, which win over the template's.
Prefilled fill_template(const Schema& schema,
                        const Template& chosen,
                        const Map& given,
                        const Map& variables,
                        Moment now);

}  // namespace notesdb
