#include "core/dependency_order.h"

namespace notesdb {

namespace {

constexpr int most_circles = 20;

}  // namespace

DependencyOrder::Known& DependencyOrder::known(std::size_t thing) {
  if (thing >= known_.size()) known_.resize(thing + 1);
  return known_[thing];
}

void DependencyOrder::visit(std::size_t thing, const Uses& uses, const Circle& circle) {
  struct Step {
    std::vector<std::size_t> uses;
    std::size_t next = 0;
  };
  std::vector<std::size_t> way;
  std::vector<Step> steps;
  const auto enter = [&](std::size_t entered) {
    known(entered).is_visited = true;
    known(entered).place = way.size();
    way.push_back(entered);
    steps.push_back({uses(entered)});
  };
  if (known(thing).is_visited) return;
  enter(thing);
  while (!steps.empty()) {
    Step& step = steps.back();
    if (step.next == step.uses.size()) {
      known(way.back()).place = not_under_way;
      order_.push_back(way.back());
      way.pop_back();
      steps.pop_back();
      continue;
    }
    const std::size_t used = step.uses[step.next++];
    Known& of_used = known(used);
    if (!of_used.is_visited) {
      enter(used);
    } else if (of_used.place != not_under_way && !of_used.closes_circle &&
               circles_ < most_circles) {
      of_used.closes_circle = true;
      ++circles_;
      circle(std::span(way).subspan(of_used.place));
    }
  }
}

std::string circle_text(const std::vector<std::string>& way) {
  constexpr std::size_t most = 12;
  std::string text;
  for (std::size_t i = 0; i < way.size(); ++i) {
    if (way.size() > most && i == most / 2) text += "... -> ";
    if (way.size() > most && i >= most / 2 && i + most / 2 < way.size()) continue;
    text += way[i] + " -> ";
  }
  return way.empty() ? text : text + way.front();
}

}  // namespace notesdb
