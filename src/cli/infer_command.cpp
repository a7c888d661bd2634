// infer: the schema that a folder of notes has already. adopt: those of all folders, written.

#include <array>

#include <boost/filesystem.hpp>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/output.h"
#include "cli/terminal.h"
#include "core/count.h"
#include "core/text.h"
#include "index/paths.h"
#include "infer/infer.h"
#include "operations/answer.h"
#include "operations/folder_answer.h"

namespace notesdb::cli {

namespace {

// DIR from the workspace root: a folder as it is typed from the current one, where that lies in the
// workspace, else what it names from the root. What lies elsewhere stays as it is, to be refused.
std::string folder_named(const Session& session, const std::string& root) {
  namespace fs = boost::filesystem;
  const std::string typed = session.words.last("DIR").value_or(".");
  boost::system::error_code error;
  const fs::path here = session.around.folder;
  const fs::path top = fs::weakly_canonical(fs::absolute(root, here), error);
  for (const fs::path& from : {here, top}) {
    const fs::path folder = fs::weakly_canonical(fs::absolute(typed, from), error);
    const fs::path below = folder.lexically_relative(top);
    const bool is_inside = !below.empty() && *below.begin() != "..";
    if (is_inside && fs::is_directory(folder, error)) return below.string();
  }
  return typed;
}

constexpr std::string_view nothing_found = "no folder here holds notes of one kind";

void tell_elsewhere(Console& console, const NaturalDatabases& found) {
  if (found.elsewhere == 0) return;
  console.err(count_of(found.elsewhere, "note") + " with fields in no database, such as those in " +
              escape_controls(found.example) +
              "; `notesdb infer FOLDER --write` makes one of a folder and all below it");
}

std::string counts_of(const Inferred& inferred) {
  return inferred.database_id + ": " + count_of(inferred.rows, "row") + ", " +
         count_of(inferred.schema.columns.size(), "column") + ", " +
         count_of(inferred.exceptions.size(), "exception");
}

// How the folder was read, a line each.
std::vector<std::string> reading_of(const Inferred& inferred) {
  std::vector<std::string> lines = inferred.why;
  for (const LeftOut& left : inferred.left_out)
    lines.push_back("left out: " + left.path + " (" + count_of(left.files, "file") +
                    "): " + left.why);
  for (const Choice& choice : inferred.choices) {
    std::string line = "chosen: " + choice.question + ": " + choice.options[choice.chosen];
    for (std::size_t i = 0; i < choice.options.size(); ++i)
      if (i != choice.chosen) line += "; or: " + choice.options[i];
    lines.push_back(std::move(line));
  }
  return lines;
}

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
    if (folders->empty()) session_.console.err(nothing_found);
    tell_elsewhere(session_.console, found_);
    if (format_ == OutputFormat::json)
      show_value(session_.console, format_, Map{{"databases", std::move(answers_)}});
    return Exit::done;
  }

 private:
  Result<std::vector<std::string>> folders_of(Workspace& workspace) {
    const std::string folder = folder_named(session_, workspace.settings().root.value);
    if (!session_.words.has("all")) return std::vector<std::string>{folder};
    Result<NaturalDatabases> found = natural_databases(workspace.files(), folder);
    if (!found) return found.error();
    found_ = *std::move(found);
    return found_.folders;
  }

  Result<void> infer_one(Workspace& workspace, const std::string& folder) {
    Result<Inferred> inferred = inferred_from(workspace, folder);
    if (!inferred) return inferred.error();
    Receipt receipt;
    if (session_.words.has("write")) {
      Result<Receipt> written = write_inferred(workspace, {&*inferred, 1});
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
    for (const std::string& line : reading_of(inferred))
      console.err(inferred.database_id + ": " + line);
    const std::string done =
        change.empty() ? "" : "; _schema.md written, notesdb undo " + change + " takes it back";
    console.err(counts_of(inferred) + done);
  }

  const Session& session_;
  OutputFormat format_;
  NaturalDatabases found_;  // of --all
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

// A line that a person types at a question; empty where nobody does.
std::string answer_to(std::string_view question) {
  write_to(Stream::err, question);
  std::array<char, 256> typed{};
  const ssize_t count = ::read(STDIN_FILENO, typed.data(), typed.size());
  return std::string(
      trimmed(std::string_view(typed.data(), count > 0 ? static_cast<std::size_t>(count) : 0)));
}

// All folders that become databases, in one change, after the plan was shown and what is open asked.
class Adoption {
 public:
  Adoption(const Session& session, OutputFormat format)
      : session_(session),
        format_(format),
        is_dry_(session.words.has("dry-run")),
        asks_(!is_dry_ && !session.words.has("yes") && ::isatty(STDIN_FILENO) == 1 &&
              ::isatty(STDERR_FILENO) == 1) {}

  Exit run() {
    Result<std::shared_ptr<Workspace>> workspace = session_.workspace();
    if (!workspace) return report(session_, workspace.error(), Exit::failed);
    Result<Exit> done = adopt(**workspace);
    return done ? *done : report(session_, done.error(), Exit::failed);
  }

 private:
  Result<Exit> adopt(Workspace& workspace) {
    const std::string top = folder_named(session_, workspace.settings().root.value);
    if (auto allowed = check_database_id(top); !allowed) return allowed.error();
    Result<NaturalDatabases> found = natural_databases(workspace.files(), top);
    if (!found) return found.error();
    found_ = *std::move(found);
    folders_ = found_.folders;
    if (folders_.empty() && holds_notes(workspace.files(), top)) folders_ = {top};
    if (folders_.empty()) {
      return Error{ErrorCode::invalid_argument,
                   std::string(nothing_found) + ", or all of them are databases already",
                   Map{}};
    }
    if (Result<void> done = plan(workspace); !done) return done.error();
    show_plan();
    if (asks_ && ask_what_is_open()) {
      if (Result<void> done = plan(workspace); !done) return done.error();
      show_plan();
    }
    if (is_dry_) return end({});
    if (!asks_ && !session_.words.has("yes")) {
      return Error{ErrorCode::invalid_argument,
                   "adopt asks before it writes, and there is no terminal; --yes takes the first "
                   "answer of each question",
                   Map{}};
    }
    const std::string files = count_of(plan_.size(), "schema file");
    if (asks_ && !is_yes(answer_to("write " + files + "? [Y/n] "))) return Exit::done;
    Result<Receipt> written = write_inferred(workspace, plan_);
    if (!written) return written.error();
    return end(*written);
  }

  // Notes without fields are no kind of their own, but one collection where nothing else is found.
  static bool holds_notes(const FileSystem& files, const std::string& folder) {
    constexpr std::size_t enough = 3;
    const auto found = find_notes(files, folder, context_of(files, folder, {}), {});
    return found && found->paths.size() >= enough &&
           !DatabaseFolder::find_schema_file(files, folder);
  }

  static bool is_yes(const std::string& answer) {
    return answer.empty() || answer.front() == 'y' || answer.front() == 'Y';
  }

  Result<void> plan(Workspace& workspace) {
    const Waiting waiting(session_, "adopt");
    Result<PlannedRows> planned = plan_rows(workspace.files(), folders_, answers_);
    if (!planned) return planned.error();
    plan_.clear();
    for (const std::string& folder : folders_) {
      Result<Inferred> inferred = infer(workspace, folder, *planned, answers_[folder]);
      if (!inferred) return inferred.error();
      plan_.push_back(*std::move(inferred));
    }
    return {};
  }

  void show_plan() {
    if (format_ == OutputFormat::json) return;
    for (const Inferred& inferred : plan_) {
      session_.console.err(counts_of(inferred));
      for (const std::string& line : reading_of(inferred))
        session_.console.err("  " + line);
    }
    tell_elsewhere(session_.console, found_);
  }

  // Whether an answer differs from what the plan has.
  bool ask_what_is_open() {
    bool differs = false;
    for (const Inferred& inferred : plan_) {
      for (const Choice& choice : inferred.choices) {
        const std::size_t chosen = ask(choice);
        answers_[inferred.database_id][choice.key] = chosen;
        differs = differs || chosen != choice.chosen;
      }
    }
    return differs;
  }

  static std::size_t ask(const Choice& choice) {
    std::string question = escape_controls(choice.question) + "\n";
    for (std::size_t i = 0; i < choice.options.size(); ++i)
      question += "  " + std::to_string(i + 1) + "  " + escape_controls(choice.options[i]) + "\n";
    while (true) {
      const std::string answer = answer_to(question + "[1] ");
      if (answer.empty()) return choice.chosen;
      const std::size_t number = answer.size() == 1 ? static_cast<std::size_t>(answer[0] - '0') : 0;
      if (number >= 1 && number <= choice.options.size()) return number - 1;
    }
  }

  Exit end(const Receipt& receipt) {
    Console& console = session_.console;
    tell_warnings(console, with_receipt(Map{}, receipt));
    std::int64_t rows = 0;
    List databases;
    for (const Inferred& inferred : plan_) {
      rows += inferred.rows;
      databases.push_back(inferred_value(inferred));
    }
    if (format_ == OutputFormat::json) {
      show_value(console, format_, with_receipt(Map{{"databases", std::move(databases)}}, receipt));
      return Exit::done;
    }
    const std::string all = count_of(plan_.size(), "database") + " of " + count_of(rows, "row");
    console.err(is_dry_ ? "would make " + all
                        : "made " + all + "; undo with: notesdb undo " + receipt.change);
    return Exit::done;
  }

  const Session& session_;
  OutputFormat format_;
  bool is_dry_;
  bool asks_;
  NaturalDatabases found_;
  std::vector<std::string> folders_;
  FolderAnswers answers_;
  std::vector<Inferred> plan_;
};

Exit run_adopt(const Session& session) {
  Result<OutputFormat> format = format_of(session.words);
  if (!format) return report(session, format.error(), Exit::wrong_usage);
  if (*format != OutputFormat::table && *format != OutputFormat::json) {
    Error error{ErrorCode::invalid_argument, "adopt shows its plan in lines, or as json"};
    return report(session, error, Exit::wrong_usage);
  }
  return Adoption(session, *format).run();
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

Command adopt_command() {
  return {
      .name = "adopt",
      .summary = "Make databases of all folders below DIR that hold notes of one kind",
      .positionals = {{.name = "DIR",
                       .description = "a folder below the workspace; default: all of it",
                       .required = false}},
      .flags = {{"yes", "", "take the first answer of each question"},
                {"dry-run", "", "show the plan, and write nothing"}},
      .notes = {"Shows the plan, asks on a terminal what is open, and makes the schema files in "
                "one change. No other file changes."},
      .run = run_adopt};
}

}  // namespace notesdb::cli
