// Server: a Model Context Protocol server that knows the protocol in both of its eras and none of
// the work: tools, resources, prompts and completion are registered from outside, before it serves.
//
//   Server server({.info = {"notesdb", "notesdb", "0.1.0"}, .instructions = "..."});
//   server.add(tool);
//   serve_stdio(server, ...);                       (stdio.h; streamable_http.h is the other interface)
//
// A interface hands every text that arrives to accept(), in the order of arrival, and what is accepted
// to complete(), on any thread. accept() never blocks; complete() runs the handlers.
//
// An answer relies on the message alone (and, for a legacy client, on its handshake), so several
// conversations may share one connection.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mcp/call.h"
#include "mcp/http_headers.h"
#include "mcp/json.h"
#include "mcp/subscriptions.h"
#include "mcp/tool.h"

namespace notesdb::mcp {

// Resources: what a host may read without a tool, as it is registered with a Server.

struct Resource {
  std::string uri;
  std::string name;
  std::string title;
  std::string description;
  std::string mime_type;
  std::string last_modified;  // RFC 3339, or empty
};

struct ResourceTemplate {
  std::string uri_template;  // RFC 6570: notesdb://tasks/{row_id}
  std::string name;
  std::string title;
  std::string description;
  std::string mime_type;
};

struct ResourceContents {
  std::string uri;
  std::string mime_type;
  std::string text;
  bool is_base64 = false;  // `text` is the base64 of bytes
  Json meta = nullptr;     // `_meta` of the contents, or null
};

// The type of an app: a page that a host shows in a frame (the extension io.modelcontextprotocol/ui).
// Such resources are listed to clients that say they show them.
constexpr std::string_view app_mime_type = "text/html;profile=mcp-app";

struct Resources {
  std::function<std::vector<Resource>()> list;  // in a stable order
  std::vector<ResourceTemplate> templates;
  // Empty if there is no such resource.
  std::function<std::optional<std::vector<ResourceContents>>(const std::string& uri, Call& call)>
      read;
  // Called with true when the first client wants to hear of changes, with false when the last one
  // has gone, one call at a time; it must not call the server. Null: subscribing is not offered.
  std::function<void(bool wanted)> watch;
};

// Prompts and completion, as they are registered with a Server.

struct PromptArgument {
  std::string name;
  std::string description;
  bool required = false;
};

struct PromptResult {
  std::string description;
  std::vector<Json> messages;  // {"role":"user","content":{"type":"text","text":...}}
  std::optional<Questions> questions;
  std::optional<RpcError> refusal;
};

struct Prompt {
  std::string name;
  std::string title;
  std::string description;
  std::vector<PromptArgument> arguments;
  // Every required argument is there, and every argument is a text.
  std::function<PromptResult(const Json& arguments, Call& call)> run;
};

// What is being typed: an argument of a prompt, or a variable of a resource template.
struct CompletionRequest {
  std::string prompt;        // its name, or empty
  std::string uri_template;  // or empty
  std::string argument;
  std::string typed;
  Json arguments = Json::object();  // what was chosen before, by name
};

// Best first; cut to 100 by the server.
using Completion = std::function<std::vector<std::string>(const CompletionRequest&)>;

// PendingQuestions: what handlers must remember between their questions and the answers.
//
// A client holds an id that nobody can guess. The state behind it is given back once, to the request
// that asked, within ten minutes; of those that nobody answers the oldest go first. All functions may
// be called from several threads at once.
class PendingQuestions {
 public:
  static constexpr std::size_t max_count = 1000;

  // The id for a state. `request` says what asked (see request_key).
  std::string keep(Json state, std::string request);
  // Empty if there is none for this request, or it is too old.
  std::optional<Json> take(const std::string& id, const std::string& request);

 private:
  using Clock = std::chrono::steady_clock;
  struct Pending {
    std::string id;
    std::string request;
    Json state;
    Clock::time_point until;
  };

  std::mutex mutex_;
  std::deque<Pending> pending_;  // the oldest first
};

// What makes two requests the same one: method, name and arguments, in any order of their keys.
std::string request_key(const std::string& method, const Json& params);

struct ServerInfo {
  std::string name;
  std::string title;
  std::string version;
  std::string description;
};

struct ServerOptions {
  ServerInfo info;
  std::string instructions;
  // Legacy clients may ask for log lines. Not offered in the modern era, where it is deprecated.
  bool logging = false;
  // Failures of tools as ordinary results with "ok": false, for hosts that hide failed ones.
  bool plain_errors = false;
};

// The answer to a message. No text: none is due.
struct Reply {
  std::string text;
  int http_status = 200;
};

// How a text arrived.
struct Arrival {
  std::shared_ptr<Session> session;
  const HttpHeaders* http = nullptr;  // null on stdio
  JsonLimits limits = message_limits;
  // Whether a question to a legacy client can be answered.
  bool can_answer = true;
};

// What a text turned out to be: per message, a call that is still to run or the reply it got. Empty
// if no reply is due.
struct Accepted {
  struct Step {
    std::unique_ptr<Call> call;
    Reply reply;
  };
  std::vector<Step> steps;
  bool batch = false;

  // The call, if that is all there is to do.
  Call* only_call() const;
};

class Server {
 public:
  explicit Server(ServerOptions options) : options_(std::move(options)) {}

  // Tools and prompts are listed in the order in which they came.
  void add(Tool tool) { tools_.push_back(std::move(tool)); }
  void add(Prompt prompt) { prompts_.push_back(std::move(prompt)); }
  void set(Resources resources);
  void set(Completion completion) { completion_ = std::move(completion); }

  Accepted accept(std::string_view text, const Arrival& arrival);
  // Runs what is left to run; notices of the calls go to `outbox`.
  Reply complete(Accepted& accepted, const std::shared_ptr<Outbox>& outbox);
  // Whether messages may come before the answer, so that HTTP needs an event stream for it.
  bool wants_stream(const Call& call) const;
  // Whether some tool may put questions to its client.
  bool asks() const;

  // A session has ended: its questions and subscriptions end with it.
  void end(Session& session);
  // Every subscription ends with a result. More may come later.
  void end_subscriptions();

  // For whoever watches the resources.
  void resource_changed(const std::string& uri) { subscriptions_.resource_changed(uri); }
  void resource_list_changed() { subscriptions_.resource_list_changed(); }

  // The rest is for the files that answer the methods.

  const ServerOptions& options() const { return options_; }
  const std::vector<Tool>& tools() const { return tools_; }
  const std::vector<Prompt>& prompts() const { return prompts_; }
  const Resources* resources() const { return resources_.get(); }
  const Completion& completion() const { return completion_; }
  PendingQuestions& pending_questions() { return pending_questions_; }
  Subscriptions& subscriptions() { return subscriptions_; }
  const Tool* find_tool(const std::string& name) const;
  const Prompt* find_prompt(const std::string& name) const;

 private:
  void accept_message(Json json, const Arrival& arrival, Accepted& accepted);
  void accept_request(Message message, const Arrival& arrival, Accepted& accepted);
  void accept_notification(const Message& message, const Arrival& arrival, Accepted& accepted);
  void accept_response(const Message& message, const Arrival& arrival, Accepted& accepted);
  RpcResult<Caller> caller_of(const Message& message, const Arrival& arrival) const;
  std::optional<RpcError> check_request(const Message& message,
                                        const Caller& caller,
                                        const Arrival& arrival) const;
  Reply run(Call& call);

  ServerOptions options_;
  std::vector<Tool> tools_;
  std::vector<Prompt> prompts_;
  std::unique_ptr<Resources> resources_;
  Completion completion_;
  PendingQuestions pending_questions_;
  Subscriptions subscriptions_{[this](bool wanted) {
    if (resources_ && resources_->watch) resources_->watch(wanted);
  }};
};

}  // namespace notesdb::mcp
