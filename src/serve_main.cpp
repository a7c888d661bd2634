// notesdb-serve: the program that `notesdb serve` becomes, the only one with an HTTP library.
#include <charconv>
#include <csignal>
#include <cstdlib>

#include "cli/cli.h"
#include "cli/output.h"
#include "http/serve.h"
#include "serving/server_command.h"

namespace notesdb {
namespace {

std::optional<int> parse_port(const std::string& text) {
  int port = 0;
  const char* end = text.data() + text.size();
  auto [stop, failure] = std::from_chars(text.data(), end, port);
  if (failure != std::errc() || stop != end || port < 0 || port > 65535) return std::nullopt;
  return port;
}

// Absent where what is given is no port.
std::optional<int> port_of(const cli::Session& session) {
  const auto given = session.words.last("port");
  return given ? parse_port(*given) : http::ServeOptions().port;
}

cli::Exit serve_on_http(const cli::Session& session, OpenServer& open) {
  http::ServeOptions options;
  options.host = session.words.last("host").value_or(options.host);
  options.token_file = session.words.last("token-file").value_or("");
  options.port = port_of(session).value_or(options.port);
  // Calls that did not end in time still use the workspace.
  const int exit = http::serve(*open.server, options);
  open.commands->close();
  std::_Exit(exit);
}

}  // namespace
}  // namespace notesdb

int main(int argc, char** argv) {
  notesdb::http::prepare_to_serve();
  std::signal(SIGXFSZ, SIG_IGN);
  auto serve = [](const notesdb::cli::Session& session) {
    const std::optional<int> port = notesdb::port_of(session);
    if (!port) {
      const notesdb::Error error{notesdb::ErrorCode::invalid_argument,
                                 "--port takes a number from 0 to 65535, not '" +
                                     session.words.last("port").value_or("") + "'"};
      return notesdb::cli::report(session, error, notesdb::cli::Exit::wrong_usage);
    }
    return notesdb::with_server(session, static_cast<std::uint16_t>(*port), notesdb::serve_on_http);
  };
  return notesdb::cli::run({argv + 1, argv + argc},
                           {{"serve", [&] { return notesdb::serve_command(serve); }}});
}
