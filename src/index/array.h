// Array: values of one plain kind in one block, which is either its own or lies in a mapped index
// file. Elements can be changed in place either way; to grow, it first becomes its own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace notesdb {

template <typename T>
class Array {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Array() = default;
  // The memory must outlive the array, or its call of own().
  explicit Array(std::span<T> mapped) : view_(mapped), is_mapped_(true) {}
  Array(Array&& other) noexcept { *this = std::move(other); }
  Array& operator=(Array&& other) noexcept {
    owned_ = std::move(other.owned_);
    is_mapped_ = other.is_mapped_;
    view_ = std::exchange(other.view_, {});
    if (!is_mapped_) view_ = owned_;
    other.owned_.clear();
    other.is_mapped_ = false;
    return *this;
  }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  ~Array() = default;
  // The same values in a block of its own.
  Array copy() const {
    Array copied;
    copied.append(view_);
    return copied;
  }

  std::size_t size() const { return view_.size(); }
  bool empty() const { return view_.empty(); }
  T& operator[](std::size_t i) { return view_[i]; }
  const T& operator[](std::size_t i) const { return view_[i]; }
  std::span<const T> span() const { return view_; }
  std::size_t memory() const {
    return is_mapped_ ? view_.size_bytes() : owned_.capacity() * sizeof(T);
  }

  void reserve(std::size_t count) {
    own();
    owned_.reserve(count);
    view_ = owned_;
  }
  void append(std::span<const T> values) {
    own();
    owned_.insert(owned_.end(), values.begin(), values.end());
    view_ = owned_;
  }
  void push_back(const T& value) {
    own();
    owned_.push_back(value);
    view_ = owned_;
  }
  // Makes room: a fresh element before each of these places, which ascend and may repeat.
  void spread(std::span<const std::uint32_t> places) {
    own();
    std::size_t end = owned_.size();
    owned_.resize(end + places.size());
    for (std::size_t k = places.size(); k-- > 0;) {
      const auto at = [&](std::size_t i) {
        return owned_.begin() + static_cast<std::ptrdiff_t>(i);
      };
      std::move_backward(at(places[k]), at(end), at(end + k + 1));
      end = places[k];
      owned_[end + k] = T{};
    }
    view_ = owned_;
  }
  // Drops the elements at these places, which ascend; mapped memory is not given back.
  void take_out(std::span<const std::uint32_t> places) {
    if (places.empty()) return;
    auto end = view_.begin() + places[0];
    for (std::size_t k = 0; k < places.size(); ++k) {
      const std::size_t next = k + 1 < places.size() ? places[k + 1] : view_.size();
      end = std::move(
          view_.begin() + places[k] + 1, view_.begin() + static_cast<std::ptrdiff_t>(next), end);
    }
    const std::size_t count = view_.size() - places.size();
    if (is_mapped_) {
      view_ = view_.first(count);
    } else {
      owned_.resize(count);
      view_ = owned_;
    }
  }
  void own() {
    if (!is_mapped_) return;
    owned_.assign(view_.begin(), view_.end());
    is_mapped_ = false;
    view_ = owned_;
  }

 private:
  std::vector<T> owned_;
  std::span<T> view_;
  bool is_mapped_ = false;
};

}  // namespace notesdb
