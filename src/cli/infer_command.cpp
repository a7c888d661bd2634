// infer: the schema that a folder of notes has already.

#include <boost/filesystem.hpp>

#include "cli/commands.h"
#include "cli/output.h"
#include "cli/terminal.h"
#include "core/text.h"
#include "infer/infer.h"
#include "operations/answer.h"
#include "operations/folder_answer.h"

namespace notesdb::cli {

namespace {

class InferRun {
 public:
  InferRun(const Session& session, OutputFormat format) : session_(session), format_(format) {}

  Exit run() {
    Result<Settings> settings = session_.settings();
    if (!settings) return report(session_, settings.error(), Exit::failed);
    Result<std::unique_ptr<Workspace>> workspace = Workspace::open(*settings);
    if (!workspace) return report(session_, workspace.error(), Exit::failed);
    Result<std::vector<std::string>> folders = folders_of(**workspace);
    if (!folders) return report(session_, folders.error(), Exit::failed);
    Result<PlannedRows> planned = plan_rows((*workspace)->files(), *folders);
    if (!planned) return report(session_, planned.error(), Exit::failed);
    planned_ = *std::move(planned);
    for (const std::string& folder : *folders)
      if (Result<void> done = infer_one(**workspace, folder); !done)
        return report(session_, done.error(), Exit::failed);
    if (folders->empty()) session_.console.err("no folder here holds notes of one kind");
    if (format_ == OutputFormat::json)
      show_value(session_.console, format_, Map{{"databases", std::move(answers_)}});
    return Exit::done;
  }

 private:
  Result<std::vector<std::string>> folders_of(Workspace& workspace) const {
    const std::string folder = folder_named(workspace.settings().root.value);
    if (!session_.words.has("all")) return std::vector<std::string>{folder};
    return natural_databases(workspace.files(), folder);
  }

  // DIR from the workspace root: a folder as it is typed from the current one, where that lies in
  // the workspace, else what it names from the root. What lies elsewhere stays as it is, to be
  // refused.
  std::string folder_named(const std::string& root) const {
    namespace fs = boost::filesystem;
    const std::string typed = session_.words.last("DIR").value_or(".");
    boost::system::error_code error;
    const fs::path here = session_.around.folder;
    const fs::path top = fs::weakly_canonical(fs::absolute(root, here), error);
    for (const fs::path& from : {here, top}) {
      const fs::path folder = fs::weakly_canonical(fs::absolute(typed, from), error);
      const fs::path below = folder.lexically_relative(top);
      const bool is_inside = !below.empty() && *below.begin() != "..";
      if (is_inside && fs::is_directory(folder, error)) return below.string();
    }
    return typed;
  }

  Result<void> infer_one(Workspace& workspace, const std::string& folder) {
    Result<Inferred> inferred = inferred_from(workspace, folder);
    if (!inferred) return inferred.error();
    Receipt receipt;
    if (session_.words.has("write")) {
      Result<Receipt> written = write_inferred(workspace, *inferred);
      if (!written) return written.error();
      receipt = *std::move(written);
      tell_warnings(session_.console, with_receipt(Map{}, receipt));
    }
    if (format_ == OutputFormat::json)
      answers_.push_back(with_receipt(inferred_value(*inferred), receipt));
    else
      show(*inferred, receipt.change);
    return {};
  }

  Result<Inferred> inferred_from(Workspace& workspace, const std::string& folder) const {
    const Waiting waiting(session_, "infer");
    return infer(workspace, folder, planned_);
  }

  // The schema is the data; what does not fit it is said beside it.
  void show(const Inferred& inferred, const std::string& change) {
    Console& console = session_.console;
    if (change.empty())
      console.out(console.is_terminal() ? escape_controls(inferred.document) : inferred.document);
    std::string lines;
    for (const Issue& issue : inferred.exceptions)
      lines += to_text(issue) + "\n";
    if (!change.empty()) console.out(console.is_terminal() ? escape_controls(lines) : lines);
    if (change.empty())
      for (const Issue& issue : inferred.exceptions)
        console.err(to_text(issue));
    std::string done =
        change.empty() ? "" : "; _schema.md written, notesdb undo " + change + " takes it back";
    console.err(inferred.database_id + ": " + count_of(inferred.rows, "row") + ", " +
                count_of(inferred.schema.columns.size(), "column") + ", " +
                count_of(inferred.exceptions.size(), "exception") + done);
  }

  const Session& session_;
  OutputFormat format_;
  PlannedRows planned_;
  List answers_;
};

Exit run_infer(const Session& session) {
  Result<OutputFormat> format = format_of(session.words);
  if (!format) return report(session, format.error(), Exit::wrong_usage);
  if (*format != OutputFormat::table && *format != OutputFormat::json) {
    Error error{ErrorCode::invalid_argument, "infer shows its schema as it is, or as json"};
    return report(session, error, Exit::wrong_usage);
  }
  return InferRun(session, *format).run();
}

}  // namespace

Command infer_command() {
  return {.name = "infer",
          .summary = "Propose a schema for a folder of notes",
          .positionals = {{.name = "DIR", .description = "a folder below the workspace"}},
          .flags = {{"write", "", "make DIR/_schema.md, and nothing else"},
                    {"all", "", "every folder below DIR that holds notes of one kind"}},
          .notes = {"Column types by what most rows hold; values that do not fit are listed with "
                    "their places. Reads only, unless --write is given."},
          .run = run_infer};
}

}  // namespace notesdb::cli
