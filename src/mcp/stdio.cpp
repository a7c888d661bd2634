#include "mcp/stdio.h"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include <unistd.h>

#include "mcp/line_reader.h"

namespace notesdb::mcp {
namespace {

constexpr int most_calls = 64;
constexpr std::chrono::seconds time_to_finish{2};

class LineWriter : public Outbox {
 public:
  explicit LineWriter(int descriptor) : descriptor_(descriptor) {}

  bool send(const std::string& message) override {
    const std::lock_guard lock(mutex_);
    if (closed_.load()) return false;
    const std::string line = message + '\n';
    std::size_t written = 0;
    while (written < line.size()) {
      const ssize_t count = ::write(descriptor_, line.data() + written, line.size() - written);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) {
        closed_.store(true);
        return false;
      }
      written += static_cast<std::size_t>(count);
    }
    return true;
  }
  bool closed() override { return closed_.load(); }

 private:
  int descriptor_;
  std::mutex mutex_;
  std::atomic<bool> closed_ = false;
};

// Shared by the threads, and outliving the door if one of them is still at work when it closes.
class Door : public std::enable_shared_from_this<Door> {
 public:
  Door(Server& server, int in, int out)
      : server_(server),
        reader_(in, JsonLimits{}.bytes),
        outbox_(std::make_shared<LineWriter>(out)) {}

  bool serve() {
    hire();
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return ended_; });
    server_.end(*session_);
    return changed_.wait_for(lock, time_to_finish, [&] { return running_ == 0; });
  }

 private:
  // One more thread; false if the system gives none.
  bool hire() {
    try {
      std::thread([self = shared_from_this()] { self->work(); }).detach();
      return true;
    } catch (const std::system_error&) {
      return false;
    }
  }

  void work() {
    while (std::optional<Accepted> accepted = take()) {
      const bool has_calls = accepted->only_call() != nullptr || accepted->batch;
      if (!has_calls || make_room()) {
        answer(*accepted);
      } else {
        refuse(*accepted);
      }
      leave();
    }
  }

  // The next message, taken in order; empty when there will be no more.
  std::optional<Accepted> take() {
    waiting_.fetch_add(1);
    const std::lock_guard turn(turn_);
    const std::optional<std::string> line = over_ ? std::nullopt : reader_.next();
    waiting_.fetch_sub(1);
    if (!line) {
      over_ = true;
      const std::lock_guard lock(mutex_);
      ended_ = true;
      changed_.notify_all();
      return std::nullopt;
    }
    {
      const std::lock_guard lock(mutex_);
      ++running_;
    }
    return server_.accept(*line, {session_, nullptr, JsonLimits{}, true});
  }

  void leave() {
    const std::lock_guard lock(mutex_);
    --running_;
    if (ended_) changed_.notify_all();
  }

  // Whether somebody is left to read while this call runs: it may need an answer to a question.
  bool make_room() {
    if (waiting_.load() > 0) return true;
    const std::lock_guard lock(mutex_);
    return running_ <= most_calls && hire();
  }

  void answer(Accepted& accepted) {
    const Reply reply = server_.complete(accepted, outbox_);
    if (!reply.text.empty()) outbox_->send(reply.text);
  }

  void refuse(Accepted& accepted) {
    for (const Accepted::Step& step : accepted.steps) {
      if (!step.call) continue;
      outbox_->send(error_text(step.call->message().id,
                               {RpcCode::internal_error, "Too many calls at once", nullptr, 200}));
    }
  }

  Server& server_;
  LineReader reader_;
  std::shared_ptr<LineWriter> outbox_;
  std::shared_ptr<Session> session_ = std::make_shared<Session>();

  std::mutex turn_;    // who holds it reads
  bool over_ = false;  // under turn_
  std::atomic<int> waiting_ = 0;

  std::mutex mutex_;
  std::condition_variable changed_;
  bool ended_ = false;
  int running_ = 0;
};

}  // namespace

bool serve_stdio(Server& server, int in, int out) {
  std::signal(SIGPIPE, SIG_IGN);
  return std::make_shared<Door>(server, in, out)->serve();
}

}  // namespace notesdb::mcp
