#include "database/plan_cache.h"

#include <algorithm>

#include "core/text.h"

namespace notesdb {
namespace {

constexpr std::size_t max_plans = 8;
constexpr std::size_t longest_request = 2000;  // in bytes, or as many values

// Whether texts are short together, and none of them may count from the clock.
class Lasting {
 public:
  void add(std::string_view text) {
    take(text.size());
    const std::string folded = left_ == 0 ? "" : fold_case(text);
    is_of_time_ = is_of_time_ || folded.find("today") != std::string::npos ||
                  folded.find("now") != std::string::npos;
  }
  void add(const Value& value) {
    take(1);
    if (value.is_text()) add(std::string_view(value.text()));
    if (value.is_list()) {
      for (const Value& item : value.list())
        add(item);
    }
    if (value.is_map()) {
      for (const Member& member : value.map()) {
        add(std::string_view(member.key));
        add(member.value);
      }
    }
  }
  bool holds() const { return left_ > 0 && !is_of_time_; }

 private:
  void take(std::size_t bytes) { left_ -= std::min(left_, bytes); }

  std::size_t left_ = longest_request;
  bool is_of_time_ = false;
};

// The filters of a view are another's words, and not looked at here.
bool lasts(const QueryRequest& request) {
  Lasting lasting;
  lasting.add(request.filters);
  lasting.add(request.sort);
  for (const std::string& name : request.select)
    lasting.add(std::string_view(name));
  return request.view.empty() && lasting.holds();
}

}  // namespace

Result<PlanCache::Plan> PlanCache::of(const QueryRequest& request, const Folder& folder) {
  if (folder_ != folder) plans_.clear();
  folder_ = folder;
  const auto known = std::ranges::find(plans_, request, &Kept::request);
  if (known != plans_.end()) return known->plan;
  auto plan = make_plan(request, folder->schema());
  if (plan && lasts(request)) {
    if (plans_.size() == max_plans) plans_.erase(plans_.begin());
    plans_.push_back({request, *plan});
  }
  return plan;
}

}  // namespace notesdb
