// RememberedReplies: what commands were answered a moment ago, for commands of the same words.
//
// Scripts ask the same again and again. A reply is given again only where answering again would give
// the same bytes: within a second, with every database that it was made from in the same state
// (index/read_set.h), and with the same settings. What depends on anything else is never kept: other
// commands than those that look at rows alone, and words that may name a time.
//
// All functions may be called from several threads at once.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "database/workspace.h"
#include "index/read_set.h"
#include "serving/local_message.h"

namespace notesdb {

class RememberedReplies {
 public:
  using Answer = std::function<LocalReply(const LocalRequest&)>;

  // The workspace must outlive it.
  explicit RememberedReplies(Workspace& workspace) : workspace_(workspace) {}

  // The bytes of the reply to a request of these bytes, made by `answer` unless they are known.
  // Nothing where the bytes are no request.
  std::optional<std::string> reply_to(std::string_view request, const Answer& answer);

 private:
  using Clock = std::chrono::steady_clock;
  struct Remembered {
    std::string reply;
    States states;
    FileStat settings;
    Clock::time_point made;
  };

  std::optional<Remembered> recall(std::string_view request) const;
  std::optional<std::string> find(std::string_view request) const;
  void keep(std::string_view request, Remembered remembered);

  Workspace& workspace_;
  mutable std::mutex mutex_;
  std::map<std::string, Remembered, std::less<>> replies_;  // by the bytes of the request
};

}  // namespace notesdb
