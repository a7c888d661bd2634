// notesdb: the command. Everything it can do is in the modules; here its interfaces are put together.
#include <array>
#include <csignal>
#include <cstdlib>
#include <string>
#include <vector>

#include <unistd.h>

#include "cli/cli.h"
#include "cli/output.h"
#include "core/budget.h"
#include "serving/local_answer.h"
#include "serving/server_command.h"

namespace notesdb {
namespace {

// Where notesdb-serve may lie: beside this program, or where installed programs keep their own.
std::vector<std::string> places_of_serve() {
  std::array<char, 4096> path{};
  ssize_t length = ::readlink("/proc/self/exe", path.data(), path.size());
  if (length <= 0) return {};
  std::string own(path.data(), static_cast<std::size_t>(length));
  std::string folder = own.substr(0, own.rfind('/'));
  return {folder + "/notesdb-serve",
          folder + "/../libexec/notesdb/notesdb-serve",
          folder + "/../lib/notesdb/notesdb-serve"};
}

// Becomes notesdb-serve, with the words of this command; comes back only where it cannot.
cli::Exit become_serve(const cli::Session& session, const std::vector<std::string>& words) {
  std::string name = "notesdb-serve";
  std::vector<char*> arguments{name.data()};
  std::vector<std::string> copies = words;
  for (std::string& word : copies)
    arguments.push_back(word.data());
  arguments.push_back(nullptr);
  for (const std::string& program : places_of_serve())
    ::execv(program.c_str(), arguments.data());
  Error error{ErrorCode::io_error,
              "cannot find the program notesdb-serve beside notesdb, in ../libexec/notesdb or in "
              "../lib/notesdb; it is built and installed with notesdb: copy both"};
  return report(session, error, cli::Exit::failed);
}

}  // namespace
}  // namespace notesdb

int main(int argc, char** argv) {
  // A reader that went away and a file that may not grow are told by write(), not by a signal.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  notesdb::keep_memory_reserve();
  std::vector<std::string> words{argv + 1, argv + argc};
  // All is written by then, and a process that tidies nothing up ends sooner.
  if (const auto exit = notesdb::answer_from_server(words)) std::_Exit(*exit);
  auto serve = [&words](const notesdb::cli::Session& session) {
    return notesdb::become_serve(session, words);
  };
  return notesdb::cli::run(
      words,
      {{"mcp", notesdb::stdio_command}, {"serve", [&] { return notesdb::serve_command(serve); }}});
}
