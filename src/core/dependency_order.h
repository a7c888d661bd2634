// DependencyOrder: things that depend on each other, each after those that it depends on, and the
// circles that there are.
//
//   DependencyOrder order;
//   order.visit(total, uses, [&](std::span<const std::size_t> way) { ... });   // total, price ...
//
// Things are numbers; what one depends on is asked once, when it is reached. In time that grows with
// the number of dependencies, and without recursion: a schema may have thousands in a row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace notesdb {

class DependencyOrder {
 public:
  using Uses = std::function<std::vector<std::size_t>(std::size_t thing)>;
  // The way from a thing over others back to it, without itself at the end. Of circles that share
  // things not all may be told, and of many the first few.
  using Circle = std::function<void(std::span<const std::size_t> way)>;

  // The thing and all that it depends on, as far as they were not visited before.
  void visit(std::size_t thing, const Uses& uses, const Circle& circle);
  // All that were visited; within a circle in any order.
  const std::vector<std::size_t>& order() const { return order_; }

 private:
  static constexpr std::size_t not_under_way = static_cast<std::size_t>(-1);
  struct Known {
    std::size_t place = not_under_way;  // on the way
    bool is_visited = false;
    bool closes_circle = false;
  };
  Known& known(std::size_t thing);

  std::vector<Known> known_;
  std::vector<std::size_t> order_;
  int circles_ = 0;
};

// "a -> b -> a"; of a long way the first and the last.
std::string circle_text(const std::vector<std::string>& way);

}  // namespace notesdb
