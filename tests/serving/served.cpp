#include "serving/served.h"

#include <thread>

#include <catch2/catch.hpp>

#include "database/settings.h"

namespace notesdb {
namespace {

using mcp::Json;

// A client that answers the questions put to it, from a thread of its own as over a wire.
class Answering : public mcp::Outbox {
 public:
  Answering(mcp::Server& server, std::shared_ptr<mcp::Session> session, std::string says)
      : server_(server), session_(std::move(session)), says_(std::move(says)) {}
  ~Answering() override {
    if (answering_.joinable()) answering_.join();
  }
  Answering(const Answering&) = delete;
  Answering& operator=(const Answering&) = delete;

  bool send(const std::string& message) override {
    const Json asked = Json::parse(message);
    if (asked.value("method", "") != "elicitation/create") return true;
    const Json content{{"confirm", says_}};
    const Json answer{{"jsonrpc", "2.0"},
                      {"id", asked["id"]},
                      {"result", {{"action", "accept"}, {"content", content}}}};
    answering_ = std::thread([this, text = answer.dump()] {
      server_.accept(text, {session_, nullptr, {}, true});
    });
    return true;
  }
  bool closed() override { return false; }

 private:
  mcp::Server& server_;
  std::shared_ptr<mcp::Session> session_;
  std::string says_;
  std::thread answering_;
};

}  // namespace

Served::Served(const ServingOptions& options, bool read_only) {
  driving::copy_tree(NOTESDB_SOURCE_DIR "/notes-sample", folder_.path());
  Settings settings;
  settings.root.value = folder_.path().string();
  settings.read_only.value = read_only;
  settings.cache.value = false;
  Result<std::unique_ptr<Workspace>> workspace = Workspace::open(settings);
  REQUIRE(workspace);
  workspace_ = std::move(*workspace);
  Result<std::unique_ptr<mcp::Server>> server = make_mcp_server(*workspace_, options);
  REQUIRE(server);
  server_ = std::move(*server);
}

Json Served::ask(const std::string& text,
                 const std::shared_ptr<mcp::Session>& session,
                 const std::shared_ptr<mcp::Outbox>& outbox) {
  mcp::Accepted accepted = server_->accept(text, {session, nullptr, {}, true});
  const mcp::Reply reply = server_->complete(accepted, outbox);
  return reply.text.empty() ? Json() : Json::parse(reply.text);
}

Json Served::modern(const std::string& method, Json params, const Json& capabilities) {
  params["_meta"]["io.modelcontextprotocol/protocolVersion"] = "2026-07-28";
  params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = capabilities;
  const auto session = std::make_shared<mcp::Session>();
  return ask(mcp::request_text(1, method, params), session, nullptr);
}

Json Served::legacy(const std::string& revision,
                    const std::string& method,
                    Json params,
                    const std::string& says) {
  const auto session = std::make_shared<mcp::Session>();
  const Json capabilities = says.empty() ? Json::object() : Json{{"elicitation", Json::object()}};
  const Json hello{{"protocolVersion", revision}, {"capabilities", capabilities}};
  const auto client = std::make_shared<Answering>(*server_, session, says);
  const Json shaken = ask(mcp::request_text(0, "initialize", hello), session, client);
  CHECK(shaken["result"]["protocolVersion"] == revision);
  return ask(mcp::request_text(1, method, params), session, client);
}

Json Served::call(const std::string& tool, Json arguments) {
  return modern("tools/call", {{"name", tool}, {"arguments", std::move(arguments)}})["result"];
}

}  // namespace notesdb
