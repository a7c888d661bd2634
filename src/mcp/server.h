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

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "mcp/call.h"
#include "mcp/http_headers.h"
#include "mcp/json_reader.h"
#include "mcp/prompt.h"
#include "mcp/resource.h"
#include "mcp/sealed_state.h"
#include "mcp/subscriptions.h"
#include "mcp/tool.h"

namespace notesdb::mcp {

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
  JsonLimits limits;
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
  const Sealer& sealer() const { return sealer_; }
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
  Sealer sealer_;
  Subscriptions subscriptions_{[this](bool wanted) {
    if (resources_ && resources_->watch) resources_->watch(wanted);
  }};
};

}  // namespace notesdb::mcp
