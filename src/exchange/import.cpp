#include "exchange/import.h"

#include <utility>

#include "exchange/import_plan.h"

namespace notesdb {

Result<ImportAnswer> import_rows(Workspace& workspace,
                                 const Source& source,
                                 const ImportRequest& request,
                                 WriteMode mode) {
  if (auto writable = workspace.check_writable(); !writable) return writable.error();
  if (mode == WriteMode::write) (void)workspace.files().recover();
  ImportAnswer answer;
  Receipt receipt;
  const auto make = [&](Stage stage) {
    ImportPlan import(workspace, source, request, stage);
    auto plan = import.make();
    answer = import.answer();
    return plan;
  };
  const auto written = commit(workspace.files(), mode, make, receipt);
  if (!written) return written.error();
  static_cast<Receipt&>(answer) = std::move(receipt);
  return answer;
}

}  // namespace notesdb
