// notesdb-serve: the program that `notesdb serve` becomes, the only one with an HTTP library.
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <memory>

#include "cli/cli.h"
#include "cli/output.h"
#include "http/browser.h"
#include "http/serve.h"
#include "serving/change_feed.h"
#include "serving/http_calls.h"
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

// Where --open was given; made before the server gives up what a browser needs.
std::unique_ptr<http::Browser>& browser() {
  static std::unique_ptr<http::Browser> kept;
  return kept;
}

http::Answer answer_call(const OpenServer& open,
                         ChangeFeed& feed,
                         const std::string& tool,
                         const std::string& arguments,
                         const std::function<bool()>& gone) {
  HttpCallAnswer answer = answer_http_call(*open.workspace, open.options, tool, arguments, gone);
  if (answer.wrote) feed.wake();
  return {answer.status,
          "application/json",
          std::move(answer.json),
          {{"Cache-Control", "no-store"}, {"X-Content-Type-Options", "nosniff"}},
          {}};
}

http::Services services_of(const OpenServer& open, ChangeFeed& feed) {
  return {.call =
              [&](const std::string& tool,
                  const std::string& arguments,
                  const std::function<bool()>& gone) {
                return answer_call(open, feed, tool, arguments, gone);
              },
          .events = [&](mcp::EventSink& sink) { feed.follow(sink); },
          .stop_events = [&] { feed.stop(); },
          .listening =
              [](const std::string& url) {
                if (browser()) browser()->open(url);
              }};
}

cli::Exit serve_on_http(const cli::Session& session, OpenServer& open) {
  http::ServeOptions options;
  options.host = session.words.last("host").value_or(options.host);
  options.token_file = session.words.last("token-file").value_or("");
  options.names = session.words.all("allow-host");
  options.port = port_of(session).value_or(options.port);
  options.assets = http::page_assets();
  ChangeFeed feed(*open.workspace);
  // Calls that did not end in time still use the workspace.
  const int exit = http::serve(*open.server, options, services_of(open, feed));
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
    if (session.words.has("open")) notesdb::browser() = std::make_unique<notesdb::http::Browser>();
    return notesdb::with_server(session, static_cast<std::uint16_t>(*port), notesdb::serve_on_http);
  };
  return notesdb::cli::run({argv + 1, argv + argc},
                           {{"serve", [&] { return notesdb::serve_command(serve); }}});
}
