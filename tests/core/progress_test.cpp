#include "core/progress.h"

#include <thread>
#include <vector>

#include <catch2/catch.hpp>

namespace notesdb {
namespace {

struct Told {
  double done;
  double total;
  std::string what;
};

TEST_CASE("parts of the work add up, and what is told only grows", "[core]") {
  std::vector<Told> told;
  const ProgressReport report = [&](double done, double total, std::string_view what) {
    told.push_back({done, total, std::string(what)});
  };
  {
    const ProgressScope scope(report);
    Progress::begin(2, "reading");
    Progress::step();
    Progress::step();
    Progress::begin(3, "writing");
    Progress::step(2);
    Progress::step(5);  // no more than there are
  }
  REQUIRE(told.size() >= 2);
  for (std::size_t i = 1; i < told.size(); ++i) {
    CHECK(told[i].done >= told[i - 1].done);
    CHECK(told[i].total >= told[i - 1].total);
  }
  CHECK(told.back().done == 5);
  CHECK(told.back().total == 5);
  CHECK(told.back().what == "writing");
}

TEST_CASE("a part that takes nobody knows how long is told at once, with the stage that it is for",
          "[core]") {
  std::vector<Told> told;
  const ProgressReport report = [&](double done, double total, std::string_view what) {
    told.push_back({done, total, std::string(what)});
  };
  const ProgressScope scope(report);
  Progress::continues();  // of nothing
  CHECK(told.empty());
  {
    const ProgressStage stage("checking tasks");
    Progress::begin("fetching");
    Progress::continues();  // too soon to be told again
    Progress::begin(2, "reading");
    Progress::step(2);
  }
  Progress::begin("");
  Progress::begin("pushing");
  REQUIRE(told.size() == 4);
  CHECK(told[0].what == "checking tasks: fetching");
  CHECK(told[0].done < told[0].total);
  CHECK(told[1].what == "checking tasks: reading");
  CHECK(told[2].what.empty());
  CHECK(told[3].what == "pushing");
  for (std::size_t i = 1; i < told.size(); ++i)
    CHECK(told[i].done > told[i - 1].done);
}

TEST_CASE("a long part is told a few times, not at every step", "[core]") {
  int told = 0;
  const ProgressReport report = [&](double, double, std::string_view) { ++told; };
  const ProgressScope scope(report);
  Progress::begin(100'000, "reading");
  for (int i = 0; i < 100'000; ++i)
    Progress::step();
  CHECK(told >= 2);
  CHECK(told < 1'000);
}

TEST_CASE("nothing is told without a scope, of another thread, or to nobody", "[core]") {
  Progress::begin(1, "reading");
  Progress::step();
  int told = 0;
  const ProgressReport report = [&](double, double, std::string_view) { ++told; };
  const ProgressScope scope(report);
  std::thread([] {
    Progress::begin(1, "reading");
    Progress::step();
  }).join();
  CHECK(told == 0);
  const ProgressReport nobody;
  const ProgressScope silent(nobody);
  Progress::begin(1, "reading");
  Progress::step();
  CHECK(told == 0);
}

}  // namespace
}  // namespace notesdb
