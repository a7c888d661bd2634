// Own settings: whether a command has the settings that a resident server has; one of others is
// not the server's affair.
//
//   OwnSettings settings(workspace);
//   if (!settings.are_those_of(session)) ...      // from several threads at once
//
// What notesdb.yaml says is part of them. It is read where its stat key tells nothing or something
// new; else flags, variables and a root that had the same settings before have them still.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "database/workspace.h"
#include "files/file_system.h"

namespace notesdb {

// The variables that decide what a command answers: those of the settings, and the time zone.
const std::vector<std::string>& deciding_variables();

class OwnSettings {
 public:
  // The workspace must outlive it.
  explicit OwnSettings(Workspace& workspace) : workspace_(workspace) {}

  bool are_those_of(const cli::Session& session);

 private:
  bool is_same_as(const Settings& settings) const;

  struct Known {
    std::string decided_by;
    FileStat file;
  };
  Workspace& workspace_;
  std::mutex mutex_;
  std::optional<Known> known_;  // what was asked last
};

}  // namespace notesdb
