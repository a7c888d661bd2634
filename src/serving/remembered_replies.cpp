#include "serving/remembered_replies.h"

#include <algorithm>
#include <array>

#include "cli/command.h"
#include "core/text.h"
#include "serving/own_settings.h"

namespace notesdb {
namespace {

constexpr std::chrono::seconds longest_memory{1};
constexpr std::size_t max_replies = 64;
constexpr std::size_t max_bytes = std::size_t{256} << 10;

// Commands whose answers follow from rows and schemas alone.
constexpr std::array<std::string_view, 2> of_rows_alone{"query", "aggregate"};
// What names a time, or may: a view has filters of its own, and JSON has ways to write a letter.
constexpr std::array<std::string_view, 5> of_time{"today", "now", "view", "modified", "\\"};

bool may_last(const std::vector<std::string>& words) {
  const auto place = cli::find_command_word(words);
  if (!place || std::ranges::find(of_rows_alone, words[*place]) == of_rows_alone.end())
    return false;
  return std::ranges::none_of(words, [](const std::string& word) {
    const std::string folded = fold_case(word);
    return std::ranges::any_of(
        of_time, [&](std::string_view name) { return folded.find(name) != std::string::npos; });
  });
}

}  // namespace

std::optional<RememberedReplies::Remembered> RememberedReplies::recall(
    std::string_view request) const {
  const std::lock_guard guard(mutex_);
  const auto found = replies_.find(request);
  if (found == replies_.end() || Clock::now() - found->second.made > longest_memory)
    return std::nullopt;
  return found->second;
}

std::optional<std::string> RememberedReplies::find(std::string_view request) const {
  auto known = recall(request);
  if (!known) return std::nullopt;
  const auto settings = settings_file(workspace_);
  if (!settings || !is_same(*settings, known->settings) || !holds(known->states))
    return std::nullopt;
  return std::move(known->reply);
}

void RememberedReplies::keep(std::string_view request, Remembered remembered) {
  const std::lock_guard guard(mutex_);
  if (replies_.size() >= max_replies) replies_.clear();
  replies_.insert_or_assign(std::string(request), std::move(remembered));
}

std::optional<std::string> RememberedReplies::reply_to(std::string_view request,
                                                       const Answer& answer) {
  if (auto known = find(request)) return known;
  const auto decoded = decode_request(request);
  if (!decoded) return std::nullopt;
  const auto made = Clock::now();
  const auto settings = may_last(decoded->words) ? settings_file(workspace_) : std::nullopt;
  const ReadSet read_set;
  const LocalReply answered = answer(*decoded);
  std::string reply = encode(answered);
  auto states = read_set.states();
  const bool is_done = answered.answered && answered.exit == 0;
  if (is_done && settings && states && !states->empty() && reply.size() <= max_bytes)
    keep(request, {reply, *std::move(states), *settings, made});
  return reply;
}

}  // namespace notesdb
