#include "serving/server_command.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include <unistd.h>

#include "cli/output.h"
#include "mcp/stdio.h"
#include "operations/catalog.h"
#include "serving/host_settings.h"
#include "serving/install.h"
#include "serving/mcp_server.h"
#include "serving/server_confinement.h"

namespace notesdb {

namespace {

std::vector<std::string> names_in(const cli::Words& words, std::string_view flag) {
  std::vector<std::string> names;
  for (const std::string& list : words.all(flag)) {
    for (std::size_t begin = 0; begin <= list.size();) {
      std::size_t end = std::min(list.find(',', begin), list.size());
      if (end > begin) names.push_back(list.substr(begin, end - begin));
      begin = end + 1;
    }
  }
  return names;
}

// The tools that --tools names; "default" stands for those that are offered without it.
std::vector<std::string> chosen_tools(const cli::Words& words) {
  std::vector<std::string> chosen = names_in(words, "tools");
  if (std::erase(chosen, "default") > 0)
    std::ranges::copy(names_of(catalog()), std::back_inserter(chosen));
  return chosen;
}

// git is run for it as the user would, with keys and networks that a confined server has not.
Result<void> check_sync(const std::vector<std::string>& chosen, const cli::Words& words) {
  if (std::ranges::find(chosen, "db_sync") == chosen.end() || words.has("unconfined")) return {};
  return Error{ErrorCode::invalid_argument,
               "db_sync reaches other machines, which a server does not by itself; pass "
               "--unconfined too",
               Map{}};
}

std::vector<std::string> host_ids() {
  std::vector<std::string> ids;
  for (const Host& host : hosts())
    ids.push_back(host.id);
  return ids;
}

std::vector<cli::Flag> install_flags() {
  return {{"name", "NAME", "install, uninstall: what the entry is called, notesdb if left out"},
          {"scope",
           "SCOPE",
           "install, uninstall: settings of the user, or of the project in the current folder",
           false,
           0,
           {"user", "project"}},
          {"print", "", "install, uninstall: show what would be written and where"},
          {"list", "", "install: list the hosts, their files and the entries there"}};
}

cli::Exit serve_on_stdio(const cli::Session&, OpenServer& open) {
  const bool finished = mcp::serve_stdio(*open.server, STDIN_FILENO, STDOUT_FILENO);
  open.commands->close();
  if (!finished) std::_Exit(0);
  return cli::Exit::done;
}

}  // namespace

std::vector<cli::Flag> server_flags() {
  return {
      {"tools",
       "A,B",
       "offer only these tools; `default` stands for the usual ones, beside which db_fix, "
       "db_infer, db_import, db_sync and others can be named",
       true},
      {"exclude-tools", "A,B", "offer all but these", true},
      {"max-bytes", "SIZE", "the most that one answer may hold (default 32KiB, at most 256KiB)"},
      {"confirm",
       "HOW",
       "before a call that destroys much: ask the user, or want expect_count (default ask)",
       false,
       0,
       {"ask", "expect_count", "never"}},
      {"plain-errors", "", "failures as results with ok: false, for hosts that hide errors"},
      {"unconfined", "", "keep the right to open files outside the workspace"}};
}

cli::Exit with_server(const cli::Session& session,
                      std::optional<std::uint16_t> port,
                      cli::Exit (*serve)(const cli::Session&, OpenServer&)) {
  Result<Settings> settings = session.settings();
  if (!settings) return report(session, settings.error(), cli::Exit::failed);
  const std::vector<std::string> tools = chosen_tools(session.words);
  if (Result<void> fine = check_sync(tools, session.words); !fine)
    return report(session, fine.error(), cli::Exit::wrong_usage);
  LocalSocket socket;
  if (!session.words.has("no-server"))
    socket = listen_for_commands(settings->root.value, session.around.environment);
  if (!session.words.has("unconfined"))
    confine_server(*settings, session.words.all("token-file"), port);
  Result<std::unique_ptr<Workspace>> opened = Workspace::open(*settings);
  if (!opened) return report(session, opened.error(), cli::Exit::failed);
  std::shared_ptr<Workspace> workspace = *std::move(opened);
  ServingOptions options{.plain_errors = session.words.has("plain-errors"),
                         .tools = tools,
                         .excluded_tools = names_in(session.words, "exclude-tools")};
  workspace->stay();
  Result<std::unique_ptr<mcp::Server>> server = make_mcp_server(*workspace, options);
  if (!server) return report(session, server.error(), cli::Exit::wrong_usage);
  OpenServer open{
      workspace,
      *std::move(server),
      std::make_unique<CommandServer>(workspace, session.around.environment, std::move(socket)),
      std::move(options)};
  return serve(session, open);
}

cli::Command stdio_command() {
  std::vector<cli::Flag> flags = server_flags();
  for (const cli::Flag& flag : install_flags())
    flags.push_back(flag);
  return {.name = "mcp",
          .summary = "Serve the tools to an agent over standard input and output",
          .positionals = {{"install",
                           "write notesdb into a host's settings, or take it out of them",
                           false,
                           {"install", "uninstall"}},
                          {"HOST", "which host", false, host_ids()}},
          .flags = std::move(flags),
          .notes = {"Speaks the Model Context Protocol: {\"command\": \"notesdb\", \"args\": "
                    "[\"mcp\", \"--root\", \"DIR\"]}. `notesdb mcp install HOST` writes that "
                    "into the settings of a host, with the flags given, and keeps what is there; "
                    "`notesdb mcp uninstall HOST` takes it out. With --name two folders stand side "
                    "by side."},
          .run = [](const cli::Session& session) {
            const auto what = session.words.last("install");
            if (!what && !session.words.has("list"))
              return with_server(session, std::nullopt, serve_on_stdio);
            return what == "uninstall" ? uninstall(session) : install(session);
          }};
}

cli::Command serve_command(std::function<cli::Exit(const cli::Session&)> run) {
  std::vector<cli::Flag> flags{
      {"host", "ADDRESS", "where to listen, 127.0.0.1 if left out; another one demands a token"},
      {"port", "N", "8420 if left out; 0 takes a free one"},
      {"token-file", "FILE", "lets in whoever sends what this file holds as a bearer token"},
      {"allow-host", "NAME", "a name by which others reach this server", true},
      {"open", "", "open the page in the browser"}};
  for (cli::Flag& flag : server_flags())
    flags.push_back(std::move(flag));
  return {.name = "serve",
          .summary = "Serve a page for people and the tools for agents over HTTP",
          .flags = std::move(flags),
          .notes = {"The page is at /, the Model Context Protocol at /mcp; POST /call/TOOL answers "
                    "what `notesdb call TOOL` does, GET /events tells what changes, /health that "
                    "the server is there. On a loopback address it serves the user who started it, "
                    "and whoever has the token; any other address demands --token-file and "
                    "--allow-host. The first SIGINT or SIGTERM ends it after running calls."},
          .run = std::move(run)};
}

}  // namespace notesdb
