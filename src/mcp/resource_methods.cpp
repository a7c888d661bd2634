// resources/*, and subscriptions/listen, which is about them.
#include <utility>

#include "mcp/methods.h"
#include "mcp/page.h"

namespace notesdb::mcp {
namespace {

constexpr std::size_t max_uris = 1000;

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

}  // namespace

RpcResult<ResultMembers> list_resources(Server& server, Call& call) {
  const std::string& revision = call.caller().revision;
  return page_of(
      server.resources()->list(), call.params(), "resources", [&](const Resource& resource) {
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

}  // namespace notesdb::mcp
