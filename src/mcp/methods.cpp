#include "mcp/methods.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <exception>
#include <map>
#include <utility>

#include "core/text.h"
#include "json/json_pen.h"
#include "mcp/base64.h"

namespace notesdb::mcp {

namespace {

// Questions to a client in the middle of a call, in both eras with one kind of handler.
//
// A modern call ends with the questions and comes again with the answers. A legacy client is asked
// over the wire while its call waits, and the handler then runs again with what it said.

std::string capability_for(const std::string& method) {
  if (method == "sampling/createMessage") return "sampling";
  if (method == "roots/list") return "roots";
  return "elicitation";
}

// Takes the answers that a modern request brings, and the state that was kept for it. invalid_params
// if they are malformed, or no state was kept for this request.
std::optional<RpcError> take_answers(Server& server, Call& call) {
  if (call.caller().era == Era::legacy) return std::nullopt;
  if (const Json* responses = find(call.params(), "inputResponses")) {
    if (!responses->is_object()) return invalid_params("inputResponses must be an object");
    std::map<std::string, Json> answers;
    for (const auto& [key, response] : responses->items()) {
      if (!response.is_object()) {
        return invalid_params("every response of inputResponses must be an object");
      }
      answers[key] = response;
    }
    call.set_answers(std::move(answers));
  }
  const Json* id = find(call.params(), "requestState");
  if (id == nullptr) return std::nullopt;
  if (!id->is_string()) return invalid_params("requestState must be a string");
  auto state = server.pending_questions().take(id->get<std::string>(),
                                               request_key(call.message().method, call.params()));
  if (!state) return invalid_params("requestState is not the one that was given for this request");
  call.set_state(std::move(*state));
  return std::nullopt;
}

// The modern result that asks; the error if the client did not say that it can answer.
RpcResult<ResultMembers> questions_result(Server& server,
                                          const Call& call,
                                          const Questions& questions) {
  std::vector<std::string> needed;
  Json requests = Json::object();
  for (const Question& question : questions.questions) {
    needed.push_back(capability_for(question.method));
    requests[question.key] = {{"method", question.method}, {"params", question.params}};
  }
  if (auto missing = check_capabilities(needed, call.caller().capabilities)) return *missing;
  ResultMembers result;
  result.members["resultType"] = "input_required";
  if (!requests.empty()) result.members["inputRequests"] = std::move(requests);
  if (!questions.state.is_null() || questions.questions.empty()) {
    result.members["requestState"] = server.pending_questions().keep(
        questions.state, request_key(call.message().method, call.params()));
  }
  return result;
}

// Asks a legacy client and adds its answers to the call. False if it cannot be asked or the call
// was cancelled meanwhile. An elicitation that fails is answered with {"action":"cancel"}.
bool ask_legacy_client(Call& call, const Questions& questions) {
  for (const Question& question : questions.questions) {
    const std::string capability = capability_for(question.method);
    if (!call.client_can(capability) || !call.outbox()) return false;
    std::optional<Json> answer = call.session().ask(*call.outbox(), question, call.flag());
    if (call.cancelled()) return false;
    if (!answer && capability != "elicitation") return false;
    call.add_answer(question.key, answer ? std::move(*answer) : Json{{"action", "cancel"}});
  }
  call.set_state(questions.state);
  return true;
}

// Runs a handler until it asks no more; `Result` has `questions`. Empty if the client that must be
// asked cannot be. A modern call runs once: its client brings the answers.
template <typename Handler, typename Arguments>
auto run_asking(const Handler& handler, const Arguments& arguments, Call& call)
    -> std::optional<decltype(handler(arguments, call))> {
  constexpr int max_rounds = 16;
  for (int round = 0; round < max_rounds; ++round) {
    auto result = handler(arguments, call);
    if (!result.questions || call.caller().era == Era::modern) return result;
    if (!ask_legacy_client(call, *result.questions)) return std::nullopt;
  }
  return std::nullopt;
}

// The capability that a client needs to answer a kind of question.
// A list is answered in pages. A cursor is opaque to clients; ours is the base64 of where the list
// continues.
constexpr std::size_t page_size = 100;

RpcError bad_cursor() {
  return {RpcCode::invalid_params, "Unknown cursor: begin without one"};
}

std::optional<std::size_t> position_of(const std::string& cursor) {
  const std::optional<std::string> text = from_base64(cursor);
  if (!text) return std::nullopt;
  std::size_t position = 0;
  const char* end = text->data() + text->size();
  const auto [stop, failed] = std::from_chars(text->data(), end, position);
  if (failed != std::errc{} || stop != end) return std::nullopt;
  return position;
}

// Where the page begins that a request's cursor asks for; invalid_params for a cursor not of ours.
RpcResult<std::size_t> page_start(const Json& params, std::size_t count) {
  const Json* cursor = find(params, "cursor");
  if (cursor == nullptr || cursor->is_null()) return std::size_t{0};
  if (!cursor->is_string()) return bad_cursor();
  const std::string& text = cursor->get_ref<const std::string&>();
  if (text.empty()) return std::size_t{0};  // sloppy clients begin so
  const std::optional<std::size_t> position = position_of(text);
  const bool ours = position && *position > 0 && *position % page_size == 0;
  if (!ours) return bad_cursor();
  return std::min(*position, count);  // the list may have become shorter
}

// Empty if the list ends with the page that begins at `start`.
std::string cursor_after(std::size_t start, std::size_t count) {
  const std::size_t next = start + page_size;
  return next < count ? to_base64(std::to_string(next)) : std::string();
}

// One page of `list` as `key`, each element shown by `show`.
template <typename T, typename Show>
RpcResult<ResultMembers> page_of(const std::vector<T>& list,
                                 const Json& params,
                                 const char* key,
                                 Show show) {
  const RpcResult<std::size_t> start = page_start(params, list.size());
  if (!start) return start.error();
  Json shown = Json::array();
  const std::size_t end = std::min(list.size(), *start + page_size);
  for (std::size_t i = *start; i < end; ++i)
    shown.push_back(show(list[i]));
  ResultMembers result;
  result.members[key] = std::move(shown);
  if (std::string next = cursor_after(*start, list.size()); !next.empty()) {
    result.members["nextCursor"] = std::move(next);
  }
  return result;
}

// How a client learns what it talks to: the legacy handshake, and discovery in the modern era.

constexpr const char* app_extension = "io.modelcontextprotocol/ui";

// Whether the client shows apps of our type.
bool shows_apps(const Caller& caller) {
  const Json* extensions = find(caller.capabilities, "extensions");
  const Json* ui = extensions == nullptr ? nullptr : find(*extensions, app_extension);
  if (ui == nullptr || !ui->is_object()) return false;
  const Json* types = find(*ui, "mimeTypes");
  return types == nullptr ||
         (types->is_array() &&
          std::find(types->begin(), types->end(), Json(std::string(app_mime_type))) !=
              types->end());
}

bool has_apps(const Server& server) {
  return std::any_of(server.tools().begin(), server.tools().end(), [](const Tool& tool) {
    return !tool.app.empty();
  });
}

// Only what is served. Changes of the lists of tools and prompts are not offered: they are fixed.
Json capabilities(const Server& server, const Caller& caller) {
  const Era era = caller.era;
  Json result = Json::object();
  if (!server.tools().empty()) result["tools"] = Json::object();
  if (const Resources* resources = server.resources()) {
    result["resources"] = Json::object();
    // A legacy client over HTTP has no stream on which it could be told of a change.
    const bool can_be_told = era == Era::modern || caller.has_own_stream;
    if (resources->watch && can_be_told) result["resources"]["subscribe"] = true;
    if (resources->watch && can_be_told) result["resources"]["listChanged"] = true;
  }
  if (!server.prompts().empty()) result["prompts"] = Json::object();
  if (server.completion()) result["completions"] = Json::object();
  if (has_apps(server) && shows_apps(caller)) {
    result["extensions"] = {
        {app_extension, {{"mimeTypes", Json::array({std::string(app_mime_type)})}}}};
  }
  if (server.options().logging && era == Era::legacy) result["logging"] = Json::object();
  return result;
}

// What every modern result says about its server.
Json server_info(const Server& server, std::string_view revision) {
  const ServerInfo& info = server.options().info;
  Json result{{"name", info.name}};
  if (has_structure(revision) && !info.title.empty()) result["title"] = info.title;
  result["version"] = info.version;
  if (has_icons(revision) && !info.description.empty()) result["description"] = info.description;
  return result;
}

RpcResult<ResultMembers> initialize(Server& server, Call& call) {
  const std::string asked = text_of(call.params(), "protocolVersion");
  const std::string revision = is_legacy(asked) ? asked : std::string(newest_legacy_revision);
  const Json* declared = find(call.params(), "capabilities");
  const bool usable = declared != nullptr && declared->is_object();
  call.session().negotiate(revision, usable ? *declared : Json::object());
  ResultMembers result;
  result.members = {{"protocolVersion", revision},
                    {"capabilities", capabilities(server, call.caller())},
                    {"serverInfo", server_info(server, revision)}};
  const std::string& instructions = server.options().instructions;
  if (!instructions.empty()) result.members["instructions"] = instructions;
  return result;
}

RpcResult<ResultMembers> discover(Server& server, Call& call) {
  ResultMembers result;
  result.members = {{"supportedVersions", Json::array({std::string(modern_revision)})},
                    {"capabilities", capabilities(server, call.caller())}};
  const std::string& instructions = server.options().instructions;
  if (!instructions.empty()) result.members["instructions"] = instructions;
  return result;
}

RpcResult<ResultMembers> ping(Server& /*server*/, Call& /*call*/) {
  return ResultMembers{};
}

RpcResult<ResultMembers> set_log_level(Server& /*server*/, Call& call) {
  const std::string level = text_of(call.params(), "level");
  if (!is_log_level(level)) return invalid_params("Unknown log level");
  call.session().set_log_level(level);
  return ResultMembers{};
}

// tools/list and tools/call, as each revision knows them.

// Whether a repeated call matters, or what it destroys, is no question of a reader. Every host
// takes a call for one that may not be repeated, so only the opposite is worth its bytes.
Json show(const ToolAnnotations& annotations) {
  Json shown{{"readOnlyHint", annotations.read_only}};
  if (!annotations.read_only) {
    shown["destructiveHint"] = annotations.destructive;
    if (annotations.idempotent) shown["idempotentHint"] = true;
  }
  shown["openWorldHint"] = annotations.open_world;
  return shown;
}

Json show(const Tool& tool, const Server& server, const Caller& caller) {
  const std::string& revision = caller.revision;
  Json shown{{"name", tool.name}};
  if (has_structure(revision) && !tool.title.empty()) shown["title"] = tool.title;
  shown["description"] = tool.description;
  shown["inputSchema"] = tool.input_schema;
  // A failure shown as a plain result does not fit the schema of a success.
  const bool with_output = has_structure(revision) && !server.options().plain_errors;
  if (with_output && !tool.output_schema.is_null()) shown["outputSchema"] = tool.output_schema;
  if (has_annotations(revision)) shown["annotations"] = show(tool.annotations);
  if (!tool.meta.is_null()) shown["_meta"] = tool.meta;
  if (!tool.app.empty() && shows_apps(caller)) shown["_meta"]["ui"] = {{"resourceUri", tool.app}};
  return shown;
}

Json text_part(std::string text) {
  return {{"type", "text"}, {"text", std::move(text)}};
}

// A part that the client's revision does not know, as text: an unknown type breaks its reader.
Json part_for(const Json& part, const std::string& revision) {
  const std::string type = text_of(part, "type");
  if (type == "resource_link" && !has_structure(revision)) return text_part(text_of(part, "uri"));
  if (type == "audio" && !has_audio(revision)) {
    return text_part("[audio, " + text_of(part, "mimeType") + "]");
  }
  return part;
}

// {...} with "ok": false in front.
std::string marked_as_failed(const std::string& json) {
  const bool empty = json == "{}";
  return R"({"ok":false)" + (empty ? "}" : "," + json.substr(1));
}

ResultMembers show(const ToolResult& result, const Server& server, const std::string& revision) {
  ResultMembers shown;
  const bool plain = result.failed && server.options().plain_errors;
  if (!result.json.empty()) {
    const std::string marked = plain ? marked_as_failed(result.json) : std::string();
    const std::string& json = plain ? marked : result.json;
    JsonPen pen(shown.written);
    pen.put(R"("content":[{"type":"text","text":)");
    pen.put_text(json);
    pen.put("}]");
    // A failure does not fit the tool's output schema, and clients check that it would.
    if (has_structure(revision) && !result.failed) {
      pen.put(R"(,"structuredContent":)");
      pen.put(json);
    }
  } else {
    Json content = Json::array();
    for (const Json& part : result.content)
      content.push_back(part_for(part, revision));
    shown.written = R"("content":)" + to_text(content);
  }
  if (result.failed && !plain) shown.written += R"(,"isError":true)";
  return shown;
}

RpcError unknown_tool(const Server& server, const std::string& name) {
  std::vector<std::string> names;
  for (const Tool& tool : server.tools())
    if (tool.listed) names.push_back(tool.name);
  constexpr std::size_t longest_shown = 100;
  const std::string shown = to_utf8(std::string_view(name).substr(0, longest_shown));
  std::string message = "Unknown tool: " + shown;
  if (auto nearest = nearest_name(name, names)) message += "; did you mean '" + *nearest + "'?";
  return invalid_params(message, {{"name", shown}, {"tools", names}});
}

RpcResult<ResultMembers> list_tools(Server& server, Call& call) {
  // Never paged, so a cursor can only be a mistake; the empty one is a sloppy client's beginning.
  const Json* cursor = find(call.params(), "cursor");
  if (cursor != nullptr && !cursor->is_null() && *cursor != "") {
    return invalid_params("Unknown cursor: the list of tools is one page");
  }
  Json tools = Json::array();
  for (const Tool& tool : server.tools()) {
    if (tool.listed) tools.push_back(show(tool, server, call.caller()));
  }
  ResultMembers result;
  result.members["tools"] = std::move(tools);
  return result;
}

RpcResult<ResultMembers> call_tool(Server& server, Call& call) {
  const Json* name = find(call.params(), "name");
  if (name == nullptr || !name->is_string()) return invalid_params("name must be a string");
  const Tool* tool = server.find_tool(name->get<std::string>());
  if (tool == nullptr) return unknown_tool(server, name->get<std::string>());
  const Json* given = find(call.params(), "arguments");
  static const Json nothing = Json::object();
  const Json& arguments = given == nullptr || given->is_null() ? nothing : *given;
  if (!arguments.is_object()) return invalid_params("arguments must be an object");
  if (auto wrong = take_answers(server, call)) return *wrong;

  const std::optional<ToolResult> result = run_asking(tool->run, arguments, call);
  const std::string& revision = call.caller().revision;
  if (!result) {
    return show(ToolResult::failure_text("This call needs an answer that the client cannot give"),
                server,
                revision);
  }
  if (result->refusal) return *result->refusal;
  if (result->questions) return questions_result(server, call, *result->questions);
  return show(*result, server, revision);
}

// resources/*, and subscriptions/listen, which is about them.

constexpr std::size_t max_uris = 1000;

bool has_resources(const Server& server) {
  return server.resources() != nullptr;
}
bool has_changes(const Server& server) {
  return has_resources(server) && static_cast<bool>(server.resources()->watch);
}

void add_if_any(Json& json, const char* key, const std::string& text) {
  if (!text.empty()) json[key] = text;
}

Json show(const Resource& resource, const std::string& revision) {
  Json shown{{"uri", resource.uri}, {"name", resource.name}};
  if (has_structure(revision)) add_if_any(shown, "title", resource.title);
  add_if_any(shown, "description", resource.description);
  add_if_any(shown, "mimeType", resource.mime_type);
  if (has_structure(revision) && !resource.last_modified.empty()) {
    shown["annotations"] = {{"lastModified", resource.last_modified}};
  }
  return shown;
}

Json show(const ResourceTemplate& resource, const std::string& revision) {
  Json shown{{"uriTemplate", resource.uri_template}, {"name", resource.name}};
  if (has_structure(revision)) add_if_any(shown, "title", resource.title);
  add_if_any(shown, "description", resource.description);
  add_if_any(shown, "mimeType", resource.mime_type);
  return shown;
}

Json show(const ResourceContents& contents) {
  Json shown{{"uri", contents.uri}};
  add_if_any(shown, "mimeType", contents.mime_type);
  shown[contents.is_base64 ? "blob" : "text"] = contents.text;
  if (!contents.meta.is_null()) shown["_meta"] = contents.meta;
  return shown;
}

RpcError unknown_resource(const std::string& uri, const Caller& caller) {
  RpcError error = invalid_params("Resource not found", {{"uri", uri}});
  if (caller.era == Era::legacy) error.code = RpcCode::resource_not_found;
  return error;
}

RpcResult<std::string> get_uri(const Call& call) {
  const Json* uri = find(call.params(), "uri");
  if (uri == nullptr || !uri->is_string()) return invalid_params("uri must be a string");
  return uri->get<std::string>();
}

bool wants(const Json& filter, const char* kind) {
  const Json* wanted = find(filter, kind);
  return wanted != nullptr && wanted->is_boolean() && wanted->get<bool>();
}

// What of a listen request is granted: the lists of tools and prompts never change here.
RpcResult<std::shared_ptr<Subscription>> granted(const Call& call) {
  const Json* filter = find(call.params(), "notifications");
  if (filter == nullptr || !filter->is_object()) {
    return invalid_params("notifications must be an object");
  }
  auto subscription = std::make_shared<Subscription>();
  subscription->id = call.message().id;
  subscription->list_changes = wants(*filter, "resourcesListChanged");
  if (const Json* uris = find(*filter, "resourceSubscriptions")) {
    if (!uris->is_array() || uris->size() > max_uris) {
      return invalid_params("resourceSubscriptions must be a list of at most 1000 URIs");
    }
    for (const Json& uri : *uris) {
      if (!uri.is_string()) return invalid_params("resourceSubscriptions must be URIs");
      subscription->uris.insert(uri.get<std::string>());
    }
  }
  return subscription;
}

std::string acknowledgement(const Subscription& subscription) {
  Json filter = Json::object();
  if (subscription.list_changes) filter["resourcesListChanged"] = true;
  if (!subscription.uris.empty()) filter["resourceSubscriptions"] = subscription.uris;
  return notification_text(
      "notifications/subscriptions/acknowledged",
      {{"_meta", {{"io.modelcontextprotocol/subscriptionId", subscription.id}}},
       {"notifications", filter}});
}

RpcResult<ResultMembers> list_resources(Server& server, Call& call) {
  const std::string& revision = call.caller().revision;
  // A legacy client is told unasked, from when it has a list that can become old.
  const bool is_told = call.caller().era == Era::legacy && call.caller().has_own_stream &&
                       has_changes(server) && call.outbox();
  if (is_told) server.subscriptions().add_list(call.shared_session(), call.outbox());
  std::vector<Resource> resources = server.resources()->list();
  if (!shows_apps(call.caller())) {
    std::erase_if(resources,
                  [](const Resource& resource) { return resource.mime_type == app_mime_type; });
  }
  return page_of(resources, call.params(), "resources", [&](const Resource& resource) {
    return show(resource, revision);
  });
}

RpcResult<ResultMembers> list_resource_templates(Server& server, Call& call) {
  const std::string& revision = call.caller().revision;
  return page_of(server.resources()->templates,
                 call.params(),
                 "resourceTemplates",
                 [&](const ResourceTemplate& resource) { return show(resource, revision); });
}

RpcResult<ResultMembers> read_resource(Server& server, Call& call) {
  const RpcResult<std::string> uri = get_uri(call);
  if (!uri) return uri.error();
  const auto contents = server.resources()->read(*uri, call);
  if (!contents || contents->empty()) return unknown_resource(*uri, call.caller());
  Json shown = Json::array();
  for (const ResourceContents& part : *contents)
    shown.push_back(show(part));
  ResultMembers result;
  result.members["contents"] = std::move(shown);
  return result;
}

RpcResult<ResultMembers> subscribe_resource(Server& server, Call& call) {
  const RpcResult<std::string> uri = get_uri(call);
  if (!uri) return uri.error();
  // A legacy client over HTTP has no stream of its own: it is answered, and told nothing.
  if (!call.caller().has_own_stream) return ResultMembers{};
  server.subscriptions().add_uri(call.shared_session(), call.outbox(), *uri);
  return ResultMembers{};
}

RpcResult<ResultMembers> unsubscribe_resource(Server& server, Call& call) {
  const RpcResult<std::string> uri = get_uri(call);
  if (!uri) return uri.error();
  server.subscriptions().remove_uri(call.session(), *uri);
  return ResultMembers{};
}

RpcResult<ResultMembers> listen(Server& server, Call& call) {
  RpcResult<std::shared_ptr<Subscription>> subscription = granted(call);
  if (!subscription) return subscription.error();
  (*subscription)->session = call.shared_session();
  (*subscription)->outbox = call.outbox();
  if (!server.subscriptions().open(*subscription, acknowledgement(**subscription))) {
    return RpcError{RpcCode::internal_error, "Too many open subscriptions"};
  }
  // Cancelled on the way here: nothing would ever end it.
  if (call.flag()->load()) server.subscriptions().end(**subscription);
  ResultMembers later;
  later.members = nullptr;
  return later;
}

// prompts/* and completion/complete.

constexpr std::size_t max_completions = 100;

Json show(const Prompt& prompt, const std::string& revision) {
  Json shown{{"name", prompt.name}};
  if (has_structure(revision) && !prompt.title.empty()) shown["title"] = prompt.title;
  shown["description"] = prompt.description;
  if (prompt.arguments.empty()) return shown;
  shown["arguments"] = Json::array();
  for (const PromptArgument& argument : prompt.arguments) {
    shown["arguments"].push_back({{"name", argument.name},
                                  {"description", argument.description},
                                  {"required", argument.required}});
  }
  return shown;
}

std::optional<RpcError> check_arguments(const Prompt& prompt, const Json& arguments) {
  if (!arguments.is_object()) return invalid_params("arguments must be an object");
  for (const auto& [name, value] : arguments.items()) {
    if (!value.is_string()) return invalid_params("Argument must be a string: " + name);
  }
  for (const PromptArgument& argument : prompt.arguments) {
    if (argument.required && !arguments.contains(argument.name)) {
      return invalid_params("Missing argument: " + argument.name);
    }
  }
  return std::nullopt;
}

ResultMembers show(const PromptResult& prompt) {
  ResultMembers result;
  if (!prompt.description.empty()) result.members["description"] = prompt.description;
  result.members["messages"] = prompt.messages;
  return result;
}

RpcResult<CompletionRequest> completion_request(const Json& params) {
  const Json* ref = find(params, "ref");
  const Json* argument = find(params, "argument");
  if (ref == nullptr || argument == nullptr) return invalid_params("ref and argument are needed");
  CompletionRequest request;
  const std::string type = text_of(*ref, "type");
  if (type == "ref/prompt") {
    request.prompt = text_of(*ref, "name");
  } else if (type == "ref/resource") {
    request.uri_template = text_of(*ref, "uri");
  } else {
    return invalid_params("ref must be a ref/prompt or a ref/resource");
  }
  request.argument = text_of(*argument, "name");
  if (request.argument.empty()) return invalid_params("argument must have a name");
  request.typed = text_of(*argument, "value");
  if (const Json* context = find(params, "context")) {
    if (const Json* chosen = find(*context, "arguments"); chosen && chosen->is_object()) {
      request.arguments = *chosen;
    }
  }
  return request;
}

bool knows_template(const Server& server, const std::string& uri_template) {
  if (server.resources() == nullptr) return false;
  for (const ResourceTemplate& known : server.resources()->templates) {
    if (known.uri_template == uri_template) return true;
  }
  return false;
}

RpcResult<ResultMembers> list_prompts(Server& server, Call& call) {
  const std::string& revision = call.caller().revision;
  return page_of(server.prompts(), call.params(), "prompts", [&](const Prompt& prompt) {
    return show(prompt, revision);
  });
}

RpcResult<ResultMembers> get_prompt(Server& server, Call& call) {
  const std::string name = text_of(call.params(), "name");
  const Prompt* prompt = server.find_prompt(name);
  if (prompt == nullptr) return invalid_params("Unknown prompt: " + name, {{"name", name}});
  const Json* given = find(call.params(), "arguments");
  const Json arguments = given == nullptr || given->is_null() ? Json::object() : *given;
  if (auto wrong = check_arguments(*prompt, arguments)) return *wrong;
  if (auto wrong = take_answers(server, call)) return *wrong;
  const std::optional<PromptResult> result = run_asking(prompt->run, arguments, call);
  if (!result) return invalid_params("This prompt needs an answer that the client cannot give");
  if (result->refusal) return *result->refusal;
  if (result->questions) return questions_result(server, call, *result->questions);
  return show(*result);
}

RpcResult<ResultMembers> complete_argument(Server& server, Call& call) {
  const RpcResult<CompletionRequest> request = completion_request(call.params());
  if (!request) return request.error();
  if (!request->prompt.empty() && server.find_prompt(request->prompt) == nullptr) {
    return invalid_params("Unknown prompt: " + request->prompt);
  }
  if (request->prompt.empty() && !knows_template(server, request->uri_template)) {
    return invalid_params("Unknown resource template: " + request->uri_template);
  }
  std::vector<std::string> values = server.completion()(*request);
  const std::size_t total = values.size();
  const bool more = total > max_completions;
  if (more) values.resize(max_completions);
  ResultMembers result;
  result.members["completion"] = {{"values", values}, {"total", total}, {"hasMore", more}};
  return result;
}

bool always(const Server& /*server*/) {
  return true;
}
bool has_tools(const Server& server) {
  return !server.tools().empty();
}
bool has_prompts(const Server& server) {
  return !server.prompts().empty();
}
bool has_completion(const Server& server) {
  return static_cast<bool>(server.completion());
}
bool has_logging(const Server& server) {
  return server.options().logging;
}

// The lists of tools and prompts are fixed for the life of a server; what is read is never kept.
constexpr Caching an_hour{3'600'000, "public"};
constexpr Caching a_moment{5'000, "private"};
constexpr Caching not_at_all{0, "private"};

constexpr std::array<Method, 15> methods = {{
    {"initialize", true, false, true, always, initialize, {}},
    {"ping", true, false, true, always, ping, {}},
    {"logging/setLevel", true, false, true, has_logging, set_log_level, {}},
    {"server/discover", false, true, true, always, discover, an_hour},
    {"tools/list", true, true, false, has_tools, list_tools, an_hour},
    {"tools/call", true, true, false, has_tools, call_tool, {}},
    {"resources/list", true, true, false, has_resources, list_resources, a_moment},
    {"resources/templates/list",
     true,
     true,
     false,
     has_resources,
     list_resource_templates,
     an_hour},
    {"resources/read", true, true, false, has_resources, read_resource, not_at_all},
    {"resources/subscribe", true, false, false, has_changes, subscribe_resource, {}},
    {"resources/unsubscribe", true, false, false, has_changes, unsubscribe_resource, {}},
    {"subscriptions/listen", false, true, false, has_changes, listen, {}},
    {"prompts/list", true, true, false, has_prompts, list_prompts, an_hour},
    {"prompts/get", true, true, false, has_prompts, get_prompt, {}},
    {"completion/complete", true, true, false, has_completion, complete_argument, {}},
}};

void add_modern_members(const Server& server, const Caching& caching, Json& members) {
  const bool complete = !members.contains("resultType");
  if (complete) members["resultType"] = "complete";
  if (complete && caching.ttl_ms >= 0) {
    members["ttlMs"] = caching.ttl_ms;
    members["cacheScope"] = std::string(caching.scope);
  }
  members["_meta"]["io.modelcontextprotocol/serverInfo"] = server_info(server, modern_revision);
}

RpcResult<ResultMembers> run_guarded(const Method& method, Server& server, Call& call) {
  try {
    return method.run(server, call);
  } catch (const std::bad_alloc&) {
    throw;  // an answer that says so needs memory too: when the call has given back its own
  } catch (const std::exception&) {
    // Its text may hold paths or rows, which are not the client's business.
    return RpcError{RpcCode::internal_error, "Internal error in " + call.message().method};
  }
}

}  // namespace

const Method* find_method(const Server& server, std::string_view name, Era era) {
  const auto* const it = std::find_if(methods.begin(), methods.end(), [&](const Method& method) {
    const bool of_era = era == Era::modern ? method.modern : method.legacy;
    return of_era && method.name == name;
  });
  return it != methods.end() && it->offered(server) ? &*it : nullptr;
}

RpcError unknown_method(const std::string& name, Era era) {
  return {RpcCode::method_not_found,
          "Method not found: " + name,
          nullptr,
          era == Era::modern ? 404 : 200};
}

RpcResult<ResultMembers> answer(Server& server, Call& call) {
  const Era era = call.caller().era;
  const Method* method = find_method(server, call.message().method, era);
  if (method == nullptr) return unknown_method(call.message().method, era);
  RpcResult<ResultMembers> result = run_guarded(*method, server, call);
  if (result && era == Era::modern && !result->members.is_null()) {
    add_modern_members(server, method->caching, result->members);
  }
  return result;
}

std::optional<RpcError> check_capabilities(const std::vector<std::string>& needed,
                                           const Json& declared) {
  Json missing = Json::object();
  for (const std::string& capability : needed) {
    if (!declared.contains(capability)) missing[capability] = Json::object();
  }
  if (missing.empty()) return std::nullopt;
  return RpcError{RpcCode::missing_client_capability,
                  "Missing required client capability: " + missing.begin().key(),
                  {{"requiredCapabilities", missing}},
                  400};
}

RpcError invalid_params(std::string why, Json data) {
  return {RpcCode::invalid_params, std::move(why), std::move(data), 200};
}

ResultMembers end_of_stream(const Server& server, const Json& id) {
  ResultMembers result;
  result.members["_meta"] = {{"io.modelcontextprotocol/subscriptionId", id}};
  add_modern_members(server, {}, result.members);
  return result;
}

}  // namespace notesdb::mcp
