// notesdb: the command. Everything it can do is in the rooms; here its doors
// are put together.
#include <csignal>
#include <string>
#include <vector>

#include <unistd.h>

#include "cli/cli.h"
#include "cli/output.h"
#include "mcp/stdio.h"
#include "serving/mcp_server.h"

namespace notesdb {
namespace {

std::vector<std::string> names_in(const cli::Words &words,
                                  std::string_view flag) {
  std::vector<std::string> names;
  for (const std::string &list : words.all(flag)) {
    for (std::size_t begin = 0; begin <= list.size();) {
      std::size_t end = std::min(list.find(',', begin), list.size());
      if (end > begin)
        names.push_back(list.substr(begin, end - begin));
      begin = end + 1;
    }
  }
  return names;
}

cli::Exit serve_stdio(const cli::Session &session) {
  Result<Settings> settings = session.settings();
  if (!settings)
    return report(session, settings.error(), cli::Exit::failed);
  Result<std::unique_ptr<Workspace>> workspace = Workspace::open(*settings);
  if (!workspace)
    return report(session, workspace.error(), cli::Exit::failed);
  ServingOptions options{.plain_errors = session.words.has("plain-errors"),
                         .tools = names_in(session.words, "tools"),
                         .excluded_tools =
                             names_in(session.words, "exclude-tools")};
  Result<std::unique_ptr<mcp::Server>> server =
      make_mcp_server(**workspace, options);
  if (!server)
    return report(session, server.error(), cli::Exit::wrong_usage);
  // Calls that are still running use the workspace: leave it to the end of the
  // process.
  if (!mcp::serve_stdio(**server, STDIN_FILENO, STDOUT_FILENO))
    std::_Exit(0);
  return cli::Exit::done;
}

cli::Command mcp_command() {
  return {
      .name = "mcp",
      .summary = "Serve the tools to an agent over standard input and output",
      .flags =
          {{"tools", "A,B", "offer only these tools", true},
           {"exclude-tools", "A,B", "offer all but these", true},
           {"plain-errors", "",
            "failures as results with ok: false, for hosts that hide errors"}},
      .notes = {"Speaks the Model Context Protocol: {\"command\": \"notesdb\", "
                "\"args\": "
                "[\"mcp\", \"--root\", \"DIR\"]}."},
      .run = serve_stdio};
}

} // namespace
} // namespace notesdb

int main(int argc, char **argv) {
  // A reader that went away and a file that may not grow are told by write(),
  // not by a signal.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  return notesdb::cli::run({argv + 1, argv + argc}, {notesdb::mcp_command()});
}
