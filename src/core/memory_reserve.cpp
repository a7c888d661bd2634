#include "core/memory_reserve.h"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace notesdb {
namespace {

constexpr std::size_t reserve_bytes = std::size_t{64} << 10U;

std::atomic<void*> reserve{nullptr};

void give_back() {
  void* const kept = reserve.exchange(nullptr);
  if (kept == nullptr) throw std::bad_alloc();
  std::free(kept);
}

}  // namespace

void keep_memory_reserve() {
  if (reserve.load(std::memory_order_relaxed) != nullptr) return;
  std::set_new_handler(give_back);
  void* const fresh = std::malloc(reserve_bytes);
  void* expected = nullptr;
  if (!reserve.compare_exchange_strong(expected, fresh)) std::free(fresh);
}

}  // namespace notesdb
