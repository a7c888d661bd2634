#include "mcp/stdio.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdint>
#include <exception>
#include <mutex>
#include <new>
#include <string_view>
#include <thread>
#include <utility>

#include <sys/uio.h>
#include <unistd.h>

#include "core/budget.h"

namespace notesdb::mcp {

namespace {

// A buffer that one long line has blown up is given back.
constexpr std::size_t worth_keeping = std::size_t{1} << 20;

bool is_blank(const std::string& text) {
  return text.find_first_not_of(" \t\r") == std::string::npos;
}

}  // namespace

bool LineReader::fill() {
  buffer_.erase(0, begin_);
  scanned_ -= begin_;
  begin_ = 0;
  if (buffer_.empty() && buffer_.capacity() > worth_keeping) std::string().swap(buffer_);
  buffer_.reserve(buffer_.size() + arriving_.size());
  ssize_t count = 0;
  do {
    count = ::read(descriptor_, arriving_.data(), arriving_.size());
  } while (count < 0 && errno == EINTR);
  if (count <= 0) return false;
  buffer_.append(arriving_.data(), static_cast<std::size_t>(count));
  return true;
}

std::optional<std::string> LineReader::next() {
  for (;;) {
    const std::size_t end = buffer_.find('\n', scanned_);
    if (end != std::string::npos) {
      std::string line = buffer_.substr(begin_, end - begin_);
      begin_ = scanned_ = end + 1;
      if (is_blank(line)) continue;
      return line;
    }
    scanned_ = buffer_.size();
    // What is too long anyway need not be kept: one byte over the limit is enough to refuse it.
    if (buffer_.size() - begin_ > longest_ + 1) {
      buffer_.resize(begin_ + longest_ + 1);
      scanned_ = buffer_.size();
    }
    if (fill()) continue;
    std::string last = buffer_.substr(begin_);
    begin_ = scanned_ = buffer_.size();
    if (is_blank(last)) return std::nullopt;
    return last;
  }
}

namespace {

constexpr int max_calls = 64;
constexpr std::chrono::seconds time_to_finish{2};
// How long one message may keep others waiting, and how many such moments without any end the
// watching.
constexpr std::chrono::milliseconds moment{2};
constexpr int quiet_moments = 50;

class LineWriter : public Outbox {
 public:
  explicit LineWriter(int descriptor) : descriptor_(descriptor) {}

  bool send(const std::string& message) override {
    const std::lock_guard lock(mutex_);
    // In two parts, since a copy with its line end would want memory.
    constexpr char line_end = '\n';
    const std::size_t length = message.size() + 1;
    for (std::size_t written = 0; written < length && !closed_.load();) {
      const auto rest = std::string_view(message).substr(std::min(written, message.size()));
      const std::array<iovec, 2> parts{iovec{const_cast<char*>(rest.data()), rest.size()},
                                       iovec{const_cast<char*>(&line_end), 1}};
      const ssize_t count = ::writev(descriptor_, parts.data(), parts.size());
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) {
        closed_.store(true);
      } else {
        written += static_cast<std::size_t>(count);
      }
    }
    return !closed_.load();
  }
  bool closed() override { return closed_.load(); }

 private:
  int descriptor_;
  std::mutex mutex_;
  std::atomic<bool> closed_ = false;
};

// What a moment without memory lets wait; without any for so long there is no use in going on.
template <typename Work>
auto with_patience(const Work& work) {
  constexpr std::chrono::milliseconds pause{1};
  constexpr int max_pauses = 2000;
  for (int pauses = 0;; ++pauses) {
    try {
      return work();
    } catch (const std::bad_alloc&) {
      if (pauses == max_pauses) throw;
    }
    std::this_thread::sleep_for(pause);
  }
}

// Shared by the threads, and outliving the interface if one of them is still running when it closes.
//
// One thread reads and answers. Another looks now and then whether it has been at one message for
// longer than a moment, and then reads in its stead: what comes while a long call runs, its
// cancellation or the answer to its question, is read in time. To hand over for every message would
// cost as much as a quick call.
class Door : public std::enable_shared_from_this<Door> {
 public:
  Door(Server& server, int in, int out)
      : server_(server),
        reader_(in, message_limits.bytes),
        outbox_(std::make_shared<LineWriter>(out)) {}

  bool serve() {
    std::unique_lock lock(mutex_);
    hire();
    changed_.wait(lock, [&] { return ended_; });
    server_.end(*session_);
    return changed_.wait_for(lock, time_to_finish, [&] { return running_ == 0; });
  }

 private:
  // One more thread to stand by; false if there is none, or no memory. Under the lock.
  bool hire() {
    try {
      std::thread([self = shared_from_this()] { self->work(); }).detach();
      ++standing_by_;
      return true;
    } catch (const std::exception&) {
      return false;
    }
  }

  void work() {
    while (const std::optional<std::uint64_t> term = stand_by()) {
      bool is_mine = true;
      while (is_mine) {
        keep_memory_reserve();
        std::optional<Accepted> accepted = take();
        if (!accepted) return;
        const bool has_calls = accepted->only_call() != nullptr || accepted->batch;
        if (!has_calls || make_room()) {
          answer(*accepted);
        } else {
          refuse(*accepted, "Too many calls at once, or too little memory for one more");
        }
        is_mine = leave(*term);
      }
    }
  }

  // Waits until this thread is to read, and gives the number of its term; empty if nobody is to.
  std::optional<std::uint64_t> stand_by() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return ended_ || !is_watched_; });
    is_watched_ = true;
    while (!ended_ && is_reading_)
      watch(lock);
    is_watched_ = false;
    --standing_by_;
    changed_.notify_all();
    if (ended_) return std::nullopt;
    is_reading_ = true;
    return ++term_;
  }

  // Looks after whoever reads until that one is to be relieved, or has read nothing for a while.
  void watch(std::unique_lock<std::mutex>& lock) {
    std::uint64_t seen = taken_;
    for (int quiet = 0; !ended_ && quiet < quiet_moments; ++quiet) {
      changed_.wait_for(lock, moment);
      if (taken_ != seen) {
        seen = taken_;
        quiet = 0;
      } else if (is_at_work_) {
        is_reading_ = is_at_work_ = false;
        return;
      }
    }
    is_asleep_ = true;
    changed_.wait(lock, [&] { return ended_ || !is_asleep_; });
  }

  // The next message, taken in order; empty when there will be no more.
  std::optional<Accepted> take() {
    std::optional<Accepted> accepted;
    try {
      const auto line = with_patience([&] { return reader_.next(); });
      if (line) accepted = with_patience([&] { return accept(*line); });
    } catch (const std::bad_alloc&) {
      accepted.reset();  // as at the end of input
    }
    const std::lock_guard lock(mutex_);
    ended_ = !accepted;
    is_at_work_ = !ended_;
    if (!ended_) ++running_;
    ++taken_;
    if (ended_ || std::exchange(is_asleep_, false)) changed_.notify_all();
    return accepted;
  }

  // Whether the one who has answered is still the one to read.
  bool leave(std::uint64_t term) {
    const std::lock_guard lock(mutex_);
    --running_;
    if (ended_) changed_.notify_all();
    const bool is_mine = term == term_;
    if (is_mine) {
      is_at_work_ = false;
    } else {
      ++standing_by_;
    }
    return is_mine;
  }

  // Whether somebody is left to read while this call runs: it may need an answer to a question.
  bool make_room() {
    const std::lock_guard lock(mutex_);
    return standing_by_ > 0 || (running_ <= max_calls && hire());
  }

  Accepted accept(std::string_view line) {
    return server_.accept(line, {session_, nullptr, message_limits, true});
  }

  void answer(Accepted& accepted) {
    try {
      const Reply reply = server_.complete(accepted, outbox_);
      if (!reply.text.empty()) outbox_->send(reply.text);
    } catch (const std::bad_alloc&) {
      refuse(accepted, "There is not enough memory; a change may have been made");
    }
  }

  void refuse(const Accepted& accepted, const char* why) {
    keep_memory_reserve();
    for (const Accepted::Step& step : accepted.steps) {
      if (!step.call) continue;
      outbox_->send(with_patience([&] {
        return error_text(step.call->message().id, {RpcCode::internal_error, why, nullptr, 200});
      }));
    }
  }

  Server& server_;
  LineReader reader_;
  std::shared_ptr<LineWriter> outbox_;
  std::shared_ptr<Session> session_ = std::make_shared<Session>();

  std::mutex mutex_;
  std::condition_variable changed_;
  bool ended_ = false;
  bool is_reading_ = false;  // somebody reads, or answers what it has just read
  bool is_at_work_ = false;  // and that for now is answering
  bool is_watched_ = false;  // somebody looks after that one
  bool is_asleep_ = false;   // and wants to be woken by the next message
  std::uint64_t term_ = 0;   // of the one that reads
  std::uint64_t taken_ = 0;  // messages
  int standing_by_ = 0;
  int running_ = 0;
};

}  // namespace

bool serve_stdio(Server& server, int in, int out) {
  std::signal(SIGPIPE, SIG_IGN);
  return std::make_shared<Door>(server, in, out)->serve();
}

}  // namespace notesdb::mcp
