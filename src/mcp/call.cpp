#include "mcp/call.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

namespace notesdb::mcp {
namespace {

constexpr long long told_again_after_ms = 50;

long long now_ms() {
  using std::chrono::duration_cast;
  using std::chrono::milliseconds;
  return duration_cast<milliseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

constexpr std::array<std::string_view, 8> log_levels = {
    "debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"};

auto seriousness(std::string_view level) {
  return std::find(log_levels.begin(), log_levels.end(), level) - log_levels.begin();
}

}  // namespace

bool is_log_level(std::string_view level) {
  return std::find(log_levels.begin(), log_levels.end(), level) != log_levels.end();
}

Call::Call(Message message, Caller caller, std::shared_ptr<Session> session)
    : message_(std::move(message)),
      caller_(std::move(caller)),
      session_(std::move(session)),
      flag_(session_->begin(message_.id)) {}

Call::~Call() {
  session_->end(flag_);
}

bool Call::cancelled() const {
  if (flag_->load()) return true;
  return caller_.era == Era::modern && outbox_ && outbox_->closed();
}

bool Call::abandoned() const {
  return flag_->load() || (outbox_ && outbox_->closed());
}

void Call::progress(double done, std::optional<double> total, std::string_view text) {
  if (caller_.progress_token.is_null() || done <= done_) return;
  const long long now = now_ms();
  const bool last = total && done >= *total;
  if (done_ >= 0 && !last && now - told_at_ < told_again_after_ms) return;
  done_ = done;
  told_at_ = now;
  Json params{{"progressToken", caller_.progress_token}, {"progress", done}};
  if (total) params["total"] = *total;
  if (!text.empty() && caller_.revision >= "2025-03-26") params["message"] = std::string(text);
  notify("notifications/progress", std::move(params));
}

void Call::log(std::string_view level, const Json& data) {
  if (caller_.log_level.empty() || seriousness(level) < seriousness(caller_.log_level)) return;
  notify("notifications/message", {{"level", std::string(level)}, {"data", data}});
}

void Call::notify(const std::string& method, Json params) {
  if (outbox_ && !flag_->load()) outbox_->send(notification_text(method, params));
}

bool Call::client_can(std::string_view capability) const {
  if (!caller_.can_answer) return false;
  const Json* declared = find(caller_.capabilities, std::string(capability).c_str());
  if (declared == nullptr || !declared->is_object()) return false;
  // An elicitation that names its modes must name forms; {} means forms.
  return capability != "elicitation" || declared->empty() || declared->contains("form");
}

const Json* Call::answer(const std::string& key) const {
  const auto it = answers_.find(key);
  return it == answers_.end() ? nullptr : &it->second;
}

}  // namespace notesdb::mcp
