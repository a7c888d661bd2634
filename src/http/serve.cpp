#include "http/serve.h"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <utility>

#include <malloc.h>

#include "http/guard.h"
#include "http/token_file.h"
#include "mcp/streamable_http.h"

namespace notesdb::http {
namespace {

Answer from_mcp(mcp::HttpAnswer answer) {
  Answer result;
  result.status = answer.status;
  result.content_type = "application/json";
  result.body = std::move(answer.body);
  result.stream = std::move(answer.stream);
  if (!answer.session_id.empty()) result.headers.emplace_back("Mcp-Session-Id", answer.session_id);
  return result;
}

// What is asked for, from routes that the rules have let through.
class Routes {
 public:
  Routes(mcp::StreamableHttp& endpoint, const Assets& assets, const Services& services)
      : endpoint_(endpoint), assets_(assets), services_(services) {}

  Answer answer(const Request& request, const std::function<bool()>& gone) const {
    if (request.path == "/mcp")
      return from_mcp(endpoint_.post(request.headers, request.body, gone));
    if (request.path == "/health")
      return {200, "application/json", "{\"status\":\"ok\"}\n", {}, {}};
    if (request.path == "/events" && services_.events) return events();
    if (request.path.starts_with(calls) && services_.call)
      return services_.call(request.path.substr(calls.size()), request.body, gone);
    return site_answer(assets_, request);
  }

  void stop() const {
    endpoint_.stop();
    if (services_.stop_events) services_.stop_events();
  }

 private:
  static constexpr std::string_view calls = "/call/";

  Answer events() const {
    Answer answer;
    answer.stream = services_.events;
    return answer;
  }

  mcp::StreamableHttp& endpoint_;
  const Assets& assets_;
  const Services& services_;
};

sigset_t stop_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  return signals;
}

// Waits for the first signal and then stops the guard, as often as it takes; a second one ends the
// program where it stands.
class SignalWatch {
 public:
  SignalWatch(Guard& guard, const Routes& routes)
      : thread_([this, &guard, &routes] { watch(guard, routes); }) {}
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;
  ~SignalWatch() {
    done_.store(true);
    thread_.join();
  }

 private:
  void watch(Guard& guard, const Routes& routes) {
    const sigset_t signals = stop_signals();
    const timespec glance{0, 50'000'000};
    bool stopping = false;
    while (!done_.load()) {
      if (sigtimedwait(&signals, nullptr, &glance) > 0) {
        if (stopping) std::_Exit(130);
        stopping = true;
        routes.stop();
      }
      if (stopping) guard.stop();
    }
  }

  std::atomic<bool> done_ = false;
  std::thread thread_;
};

int fail(const std::string& why) {
  std::fprintf(stderr, "notesdb: %s\n", why.c_str());
  return 1;
}

std::string cannot_listen(const ServeOptions& options) {
  const std::string where = options.host + " port " + std::to_string(options.port);
  if (errno == EADDRINUSE) return where + " is in use; another can be given with --port";
  if (errno == EACCES) return where + " needs more rights; another can be given with --port";
  return "cannot listen at " + where;
}

std::string url_of(const std::string& host, int port) {
  const bool is_v6 = host.find(':') != std::string::npos && !host.starts_with('[');
  return "http://" + (is_v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

std::string lower(std::string text) {
  for (char& c : text)
    c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return text;
}

// Who may come in, as the options say.
Result<Rules> rules_of(const ServeOptions& options) {
  const auto refuse = [](std::string why) {
    return Error{ErrorCode::invalid_argument, std::move(why), {}};
  };
  Rules rules;
  rules.loopback = is_loopback(options.host);
  for (const std::string& name : options.names) {
    if (name.empty() || name.find_first_of("/@ \t") != std::string::npos)
      return refuse("--allow-host takes the name of a host, as notes.example, not '" + name + "'");
    rules.names.push_back(lower(name));
  }
  if (!options.token_file.empty()) {
    Result<std::string> token = read_token_file(options.token_file);
    if (!token) return token.error();
    rules.token = *std::move(token);
  }
  if (!rules.loopback && rules.token.empty())
    return refuse("--host " + options.host +
                  " can be reached from other machines; that needs --token-file");
  if (!rules.loopback && rules.names.empty())
    return refuse("--host " + options.host +
                  " can be reached by other names than localhost; --allow-host says by which");
  if (!rules.names.empty() && rules.token.empty())
    return refuse("--allow-host lets others than this machine in; that needs --token-file");
  return rules;
}

}  // namespace

void prepare_to_serve() {
  const sigset_t signals = stop_signals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  // Few arenas for many threads, and large pieces always given back: otherwise each arena keeps the
  // most that any of its threads ever held.
  constexpr int arenas = 2;
  constexpr int large_bytes = 128 << 10;
  ::mallopt(M_ARENA_MAX, arenas);
  ::mallopt(M_MMAP_THRESHOLD, large_bytes);
}

int serve(mcp::Server& server, const ServeOptions& options, const Services& services) {
  prepare_to_serve();
  Result<Rules> judged = rules_of(options);
  if (!judged) return fail(judged.error().message);
  Rules rules = *std::move(judged);
  mcp::StreamableHttp endpoint(server);
  const Routes routes(endpoint, options.assets, services);
  Guard guard(Limits{}, [&](const Request& request, const std::function<bool()>& gone) {
    return routes.answer(request, gone);
  });
  rules.port = guard.bind(options.host, options.port);
  if (rules.port == 0) return fail(cannot_listen(options));
  const SignalWatch watch(guard, routes);
  const std::string url = url_of(options.host, rules.port);
  std::fprintf(stderr, "notesdb: listening at %s/mcp\n", url.c_str());
  if (!options.assets.empty()) std::fprintf(stderr, "notesdb: the page is at %s/\n", url.c_str());
  if (!rules.loopback)
    std::fputs("notesdb: this is plain HTTP: whoever is on the way can read it and the token\n",
               stderr);
  if (options.print_port) {
    std::printf("%d\n", rules.port);
    std::fflush(stdout);
  }
  if (services.listening) services.listening(url + "/");
  const bool finished = guard.serve(rules);
  if (!finished) {
    std::fflush(nullptr);
    std::_Exit(0);  // a call that does not end still uses what would be taken down now
  }
  return 0;
}

}  // namespace notesdb::http
