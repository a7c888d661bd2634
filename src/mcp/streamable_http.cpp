#include "mcp/streamable_http.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "mcp/era.h"
#include "mcp/random.h"

namespace notesdb::mcp {

namespace {

// How often a silent stream looks whether its client is still there, and after how many silent
// looks it says something that is no message.
constexpr std::chrono::seconds glance{1};
constexpr int glances_to_comment = 15;

}  // namespace

std::string as_event(const std::string& message) {
  return "event: message\ndata: " + message + "\n\n";
}

bool EventStream::send(const std::string& message) {
  const std::lock_guard lock(mutex_);
  return sink_ != nullptr && sink_->write(as_event(message));
}

bool EventStream::closed() {
  const std::lock_guard lock(mutex_);
  return sink_ == nullptr || sink_->closed();
}

void EventStream::end() {
  const std::lock_guard lock(mutex_);
  sink_ = nullptr;
}

bool EventQueue::send(const std::string& message) {
  const std::lock_guard lock(mutex_);
  if (waiting_.size() >= max_waiting) ended_ = true;
  if (ended_) return false;
  waiting_.push_back(message);
  changed_.notify_one();
  return true;
}

bool EventQueue::closed() {
  const std::lock_guard lock(mutex_);
  return ended_;
}

void EventQueue::end() {
  const std::lock_guard lock(mutex_);
  ended_ = true;
  changed_.notify_one();
}

void EventQueue::pump(EventSink& sink) {
  int silent = 0;
  std::unique_lock lock(mutex_);
  while (!ended_ || !waiting_.empty()) {
    if (waiting_.empty()) {
      if (sink.closed()) return;
      changed_.wait_for(lock, glance, [&] { return ended_ || !waiting_.empty(); });
    }
    std::string bytes;
    if (!waiting_.empty()) {
      bytes = as_event(waiting_.front());
      waiting_.pop_front();
    } else if (++silent % glances_to_comment == 0) {
      bytes = ": still here\n\n";
    }
    if (bytes.empty()) continue;
    lock.unlock();  // writing may take a while
    const bool written = sink.write(bytes);
    lock.lock();
    if (!written) return;
  }
}

namespace {

constexpr std::size_t max_sessions = 256;

// For calls that are answered at once: nothing can be sent before, but leaving is noticed.
class Silence : public Outbox {
 public:
  explicit Silence(std::function<bool()> gone) : gone_(std::move(gone)) {}
  bool send(const std::string& /*message*/) override { return false; }
  bool closed() override { return gone_(); }

 private:
  std::function<bool()> gone_;
};

std::string new_session_id() {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string id;
  for (const char byte : random_bytes(16)) {
    const auto bits = static_cast<unsigned char>(byte);
    id += digits[bits >> 4U];
    id += digits[bits & 15U];
  }
  return id;
}

bool can_answer_anything(const Json& capabilities) {
  return capabilities.contains("elicitation") || capabilities.contains("sampling") ||
         capabilities.contains("roots");
}

bool is_modern(const HttpHeaders& headers) {
  const std::string* revision = headers.find("MCP-Protocol-Version");
  return revision != nullptr && *revision == modern_revision;
}

HttpAnswer json_answer(Reply reply) {
  if (reply.text.empty()) return {202, {}, {}, {}};
  return {reply.http_status, std::move(reply.text), {}, {}};
}

}  // namespace

std::shared_ptr<Session> StreamableHttp::find_session(const std::string& id) {
  const std::lock_guard lock(mutex_);
  const auto it = sessions_.find(id);
  if (it == sessions_.end()) return nullptr;
  it->second.second = ++uses_;
  return it->second.first;
}

std::string StreamableHttp::keep(const std::shared_ptr<Session>& session) {
  const bool worthwhile = !session->revision().empty() && server_.asks() &&
                          can_answer_anything(session->client_capabilities());
  if (!worthwhile) return {};
  const std::string id = new_session_id();
  const std::lock_guard lock(mutex_);
  if (sessions_.size() >= max_sessions) {
    const auto oldest =
        std::min_element(sessions_.begin(), sessions_.end(), [](const auto& a, const auto& b) {
          return a.second.second < b.second.second;
        });
    oldest->second.first->close();
    sessions_.erase(oldest);
  }
  sessions_[id] = {session, ++uses_};
  return id;
}

HttpAnswer StreamableHttp::post(const HttpHeaders& headers,
                                std::string_view body,
                                std::function<bool()> gone) {
  std::shared_ptr<Session> session;
  const std::string* session_id = is_modern(headers) ? nullptr : headers.find("Mcp-Session-Id");
  // One of a server that was restarted is served without a session: the clients that people use do
  // not recover from a 404.
  if (session_id != nullptr) session = find_session(*session_id);
  const bool known = session != nullptr;
  if (!known) session = std::make_shared<Session>();
  JsonLimits limits = message_limits;
  limits.bytes = longest_body;
  Accepted accepted = server_.accept(body, {session, &headers, limits, known});
  if (accepted.steps.empty()) return {202, {}, {}, {}};
  HttpAnswer answer = run(std::move(accepted), std::move(gone));
  if (!known) answer.session_id = keep(session);
  return answer;
}

HttpAnswer StreamableHttp::run(Accepted accepted, std::function<bool()> gone) {
  const Call* call = accepted.only_call();
  if (call == nullptr || !server_.wants_stream(*call)) {
    return json_answer(server_.complete(accepted, std::make_shared<Silence>(std::move(gone))));
  }
  const bool is_subscription = call->message().method == "subscriptions/listen";
  const auto shared = std::make_shared<Accepted>(std::move(accepted));
  HttpAnswer answer;
  answer.stream = [this, shared, is_subscription](EventSink& sink) {
    if (is_subscription) {
      stream_subscription(*shared, sink);
    } else {
      stream(*shared, sink);
    }
  };
  return answer;
}

void StreamableHttp::stream(Accepted& accepted, EventSink& sink) {
  const auto events = std::make_shared<EventStream>(sink);
  const Reply reply = server_.complete(accepted, events);
  if (!reply.text.empty()) events->send(reply.text);
  events->end();  // the sink goes away, while others may still hold the stream
}

void StreamableHttp::stream_subscription(Accepted& accepted, EventSink& sink) {
  const auto events = std::make_shared<EventQueue>();
  const std::shared_ptr<Session> session = accepted.only_call()->shared_session();
  const Reply reply = server_.complete(accepted, events);
  if (!reply.text.empty()) {
    sink.write(as_event(reply.text));
    return;
  }
  keep_open(events);
  events->pump(sink);
  events->end();
  server_.end(*session);
  const std::lock_guard lock(mutex_);
  subscriptions_.erase(events);
}

void StreamableHttp::keep_open(const std::shared_ptr<EventQueue>& events) {
  const std::lock_guard lock(mutex_);
  if (stopping_) events->end();
  subscriptions_.insert(events);
}

void StreamableHttp::stop() {
  server_.end_subscriptions();
  const std::lock_guard lock(mutex_);
  stopping_ = true;
  for (const auto& events : subscriptions_)
    events->end();
  for (const auto& [id, session] : sessions_)
    session.first->close();
}

}  // namespace notesdb::mcp
