// db_infer: the schemas that folders of notes have already, shown or written.
#include "infer/infer.h"
#include "operations/answer.h"
#include "operations/folder_answer.h"
#include "operations/operation.h"

namespace notesdb {

namespace {

Result<Value> infer_one(Workspace& workspace,
                        const std::string& folder,
                        const PlannedRows& planned,
                        WriteMode mode) {
  Result<Inferred> inferred = infer(workspace, folder, planned);
  if (!inferred) return inferred.error();
  Value value = inferred_value(*inferred);
  if (mode == WriteMode::dry_run) {
    value.set("document", inferred->document);
    return value;
  }
  Result<Receipt> written = write_inferred(workspace, {&*inferred, 1});
  if (!written) return written.error();
  return with_receipt(std::move(value), *written);
}

Result<Value> infer_folders(const Call& call) {
  Workspace& workspace = call.context.workspace;
  std::vector<std::string> folders = call.arguments.names("folders");
  if (folders.empty()) {
    Result<NaturalDatabases> found = natural_databases(workspace.files(), ".");
    if (!found) return found.error();
    folders = std::move(found->folders);
  }
  Result<PlannedRows> planned = plan_rows(workspace.files(), folders);
  if (!planned) return planned.error();
  List databases;
  for (const std::string& folder : folders) {
    Result<Value> one = infer_one(workspace, folder, *planned, call.write_mode());
    if (!one) return one.error();
    databases.push_back(*std::move(one));
  }
  return Value(Map{{"databases", std::move(databases)}});
}

}  // namespace

const Operation& db_infer() {
  static const Operation operation{
      .name = "db_infer",
      .title = "Infer schemas",
      .description =
          "Makes databases of folders of notes: each gets the schema that most of its "
          "notes have. A dry run shows the schemas and what does not fit them.",
      .effect = Effect::creates,
      .arguments = {{.name = "folders",
                     .kind = ArgumentKind::names,
                     .description = "absent: every folder that holds notes of one kind"},
                    dry_run_argument()},
      .result = {{"databases", ResultKind::maps}},
      .shown = "databases",
      .run = infer_folders};
  return operation;
}

}  // namespace notesdb
