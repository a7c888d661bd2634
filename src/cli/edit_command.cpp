#include <array>
#include <cerrno>
#include <cstdlib>
#include <fstream>

#include <sys/wait.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/console.h"
#include "cli/output.h"
#include "database/row_access.h"
#include "database/write_rows.h"
#include "operations/answer.h"

namespace notesdb::cli {

namespace {

// A copy of a file's text for an editor, removed with the object unless it is kept.
class Draft {
 public:
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;
  Draft(const std::string& text, const std::string& ending) {
    const char* folder = std::getenv("TMPDIR");
    path_ = std::string(folder != nullptr && *folder != '\0' ? folder : "/tmp") +
            "/notesdb-XXXXXX" + ending;
    const int file = ::mkstemps(path_.data(), static_cast<int>(ending.size()));
    is_made_ = file >= 0;
    if (!is_made_) return;
    ::close(file);
    std::ofstream(path_, std::ios::binary) << text;
  }
  ~Draft() {
    if (is_made_ && !is_kept_) ::unlink(path_.c_str());
  }

  bool is_made() const { return is_made_; }
  const std::string& path() const { return path_; }
  void keep() { is_kept_ = true; }

 private:
  std::string path_;
  bool is_made_ = false;
  bool is_kept_ = false;
};

// $VISUAL, $EDITOR, else vi.
std::string editor_of(const Environment& environment) {
  for (const char* name : {"VISUAL", "EDITOR"})
    if (const auto value = environment(name); value && !value->empty()) return *value;
  return "vi";
}

bool run_editor(const std::string& editor, const std::string& path) {
  const pid_t child = ::fork();
  if (child == 0) {
    // The editor may have arguments of its own; the path is one word whatever it holds.
    const std::string line = editor + " \"$1\"";
    ::execl("/bin/sh", "sh", "-c", line.c_str(), "sh", path.c_str(), static_cast<char*>(nullptr));
    ::_exit(127);
  }
  if (child < 0) return false;
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// The fields that one reading has otherwise than another; what has gone is null.
Map changed_fields(const Row& before, const Row& after) {
  Map changed;
  for (const Member& field : after.fields) {
    const Value* old = find_member(before.fields, field.key);
    if (old == nullptr || !(*old == field.value)) changed.push_back(field);
  }
  for (const Member& field : before.fields)
    if (find_member(after.fields, field.key) == nullptr) changed.push_back({field.key, nullptr});
  return changed;
}

class RowEdit {
 public:
  RowEdit(const Session& session, Workspace& workspace, Database& database, std::string row_id)
      : session_(session), workspace_(workspace), database_(database), row_id_(std::move(row_id)) {}

  Exit run() {
    if (auto writable = workspace_.check_writable(); !writable) return fail(writable.error());
    auto folder = database_.folder();
    if (!folder) return fail(folder.error());
    auto file = read_row_file(workspace_.files(), **folder, row_id_);
    if (!file) return fail(file.error());
    const std::size_t dot = file->path.rfind('.');
    Draft draft(file->note.bytes(), file->path.substr(dot));
    if (!draft.is_made())
      return fail({ErrorCode::io_error, "cannot make a temporary file for the editor", Map{}});
    while (true) {
      if (!run_editor(editor_of(session_.around.environment), draft.path()))
        return fail({ErrorCode::io_error, "the editor failed; nothing was changed", Map{}});
      Result<std::string> text = read_text(draft.path());
      if (!text) return fail(text.error());
      if (*text == file->note.bytes()) {
        session_.console.err("no change");
        return Exit::done;
      }
      const auto problem = store(**folder, *file, *text);
      if (!problem) return Exit::done;
      report(session_, *problem, Exit::failed);
      if (asks_again()) continue;
      draft.keep();
      session_.console.err("nothing was changed; what you wrote is in " + draft.path());
      return Exit::failed;
    }
  }

 private:
  Exit fail(const Error& error) const { return report(session_, error, Exit::failed); }

  // Nothing where the row is as it was written; else why it is not.
  std::optional<Error> store(const DatabaseFolder& folder,
                             const RowFile& before,
                             const std::string& text) const {
    auto note = Note::parse(text, before.note.format());
    if (!note) return note.error();
    const RowFile after{before.path, before.id, *std::move(note), before.etag, before.key};
    const Row row = to_row(folder, after);
    if (!row.issues.empty()) return error_of(row.issues);
    // Judged as every change of the row is.
    RowChange change{.row_id = before.id,
                     .etag = before.etag,
                     .fields = changed_fields(to_row(folder, before), row)};
    auto judged = update_row(workspace_, database_.id(), std::move(change), WriteMode::dry_run);
    if (!judged) return judged.error();
    const std::string name = database_.id() + "/" + before.id;
    const auto make = [&](Stage stage) -> Result<Plan> {
      Plan plan(stage);
      plan.replace(before.path, before.etag, before.note.bytes(), text);
      plan.what = "edit of " + name;
      plan.is_fixed = true;
      return plan;
    };
    Receipt receipt;
    if (auto written = commit(workspace_.files(), WriteMode::write, make, receipt); !written)
      return written.error();
    tell_warnings(session_.console, with_receipt(Map{}, receipt));
    session_.console.err("changed " + name + "; undo with: notesdb undo " + receipt.change);
    return std::nullopt;
  }

  static Error error_of(const std::vector<Issue>& issues) {
    std::string message;
    for (const Issue& issue : issues) {
      message += (message.empty() ? "" : "; ") + std::string("line ") + std::to_string(issue.line) +
                 ": " + issue.message;
    }
    return {ErrorCode::malformed_file, std::move(message), Map{}};
  }

  // A person is asked; where there is none, once is enough.
  bool asks_again() const {
    if (::isatty(STDIN_FILENO) == 0 || ::isatty(STDERR_FILENO) == 0) return false;
    write_to(Stream::err, "edit again? [Y/n] ");
    std::array<char, 64> answer{};
    const ssize_t count = ::read(STDIN_FILENO, answer.data(), answer.size());
    return count > 0 && answer[0] != 'n' && answer[0] != 'N';
  }

  const Session& session_;
  Workspace& workspace_;
  Database& database_;
  std::string row_id_;
};

Exit run_edit(const Session& session) {
  Result<std::shared_ptr<Workspace>> workspace = session.workspace();
  if (!workspace) return report(session, workspace.error(), Exit::failed);
  Result<Database*> database = (*workspace)->get(session.words.last("DB").value_or(""));
  if (!database) return report(session, database.error(), Exit::failed);
  return RowEdit(session, **workspace, **database, session.words.last("ROW").value_or("")).run();
}

}  // namespace

Command edit_command() {
  return {
      .name = "edit",
      .summary = "Edit the file of a row in $EDITOR",
      .positionals = {{.name = "DB", .description = "from `notesdb list`"},
                      {.name = "ROW", .description = "the id of a row"}},
      .notes = {"Opens a copy in $VISUAL, $EDITOR or vi. What comes back is checked against the "
                "schema and stored in one change, unless the row has changed meanwhile; problems "
                "are shown, and on a terminal you may edit again. Otherwise the copy is kept and "
                "nothing is changed."},
      .run = run_edit};
}

}  // namespace notesdb::cli
