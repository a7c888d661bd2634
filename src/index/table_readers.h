// TableReaders: who is reading a table while nobody holds the lock of its cache.
//
// A question takes a lease of the table under the lock and computes without it. Whoever wants to
// change the table, under the lock, waits a moment until no lease is left, and else changes a copy:
// so a question that takes long keeps the table that it began with, and nobody waits for it.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <utility>

namespace notesdb {

class TableReaders {
 public:
  void enter() {
    const std::lock_guard guard(mutex_);
    ++count_;
  }
  void leave() {
    const std::lock_guard guard(mutex_);
    if (--count_ == 0 && is_awaited_) changed_.notify_all();
  }
  // Whether nobody reads any more, at the latest after `patience`.
  bool wait_until_none(std::chrono::milliseconds patience) {
    std::unique_lock lock(mutex_);
    if (count_ == 0) return true;
    is_awaited_ = true;
    const bool is_free = changed_.wait_for(lock, patience, [&] { return count_ == 0; });
    is_awaited_ = false;
    return is_free;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int count_ = 0;
  bool is_awaited_ = false;
};

// The table stays as it is as long as this stands.
template <typename Table>
class TableLease {
 public:
  explicit TableLease(std::shared_ptr<Table> table) : table_(std::move(table)) {
    table_->readers().enter();
  }
  TableLease(TableLease&& other) noexcept : table_(std::move(other.table_)) {}
  TableLease& operator=(TableLease&&) = delete;
  TableLease(const TableLease&) = delete;
  TableLease& operator=(const TableLease&) = delete;
  ~TableLease() {
    if (table_) table_->readers().leave();
  }
  const Table& operator*() const { return *table_; }
  const Table* operator->() const { return table_.get(); }

 private:
  std::shared_ptr<Table> table_;
};

}  // namespace notesdb
