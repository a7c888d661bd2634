// Progress: how far a long call is, told by the loops that do its work to whoever waits for it.
//
//   const ProgressScope scope(report);          // who hands the work out
//   ...
//   Progress::begin(files.size(), "reading");   // a part of the work, with its number of steps
//   for (...) Progress::step();
//
// A scope belongs to the thread that makes it, until it ends. Where there is none, nothing is told
// and a step costs a glance. Parts add up: what is told only grows, and the total with it.
//
//   const ProgressStage stage("checking tasks");  // what the parts below are for
//   Progress::begin(files.size(), "reading");     // told as "checking tasks: reading"
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace notesdb {

using ProgressReport = std::function<void(double done, double total, std::string_view what)>;

class ProgressScope {
 public:
  // `report` outlives the scope; an empty one tells nothing. Seldom is called more often than told
  // about: 20 times a second at most.
  explicit ProgressScope(const ProgressReport& report);
  ProgressScope(const ProgressScope&) = delete;
  ProgressScope& operator=(const ProgressScope&) = delete;
  ~ProgressScope() { current = outer_; }

 private:
  friend class Progress;
  friend class ProgressStage;
  void tell();
  void tell_now(std::int64_t now_ms);

  static thread_local constinit ProgressScope* current;
  const ProgressReport& report_;
  ProgressScope* outer_;
  std::uint64_t before_ = 0;  // steps of the parts that have ended
  std::uint64_t steps_ = 0;   // of the part that is under way
  std::uint64_t done_ = 0;
  std::string what_;
  std::string stage_;
  std::int64_t told_at_ms_ = 0;
};

class ProgressStage {
 public:
  explicit ProgressStage(std::string what);
  ProgressStage(const ProgressStage&) = delete;
  ProgressStage& operator=(const ProgressStage&) = delete;
  ~ProgressStage();

 private:
  ProgressScope* scope_;
  std::string outer_;
};

class Progress {
 public:
  // The part before it is done, whatever it said.
  static void begin(std::uint64_t steps, std::string_view what);
  // A part that takes nobody knows how long, such as a fetch: told at once, and again whenever
  // continues() is called half a second or more after that.
  static void begin(std::string_view what);
  static void continues();
  static void step(std::uint64_t count = 1) {
    if (ProgressScope::current != nullptr) step_in_scope(count);
  }

 private:
  static void step_in_scope(std::uint64_t count);
};

}  // namespace notesdb
