// Random SELECTs over three tables, for the law that a query and an export agree.
//
// Nothing here knows how a query is run. A SELECT with a LIMIT is ordered by all that it shows, so
// that what it gives follows from the rows; sums are of multiples of a quarter, which add up the
// same in any order.
#pragma once

#include <random>
#include <string>
#include <vector>

namespace notesdb {

struct RandomSelect {
  std::string sql;
  bool is_ordered = false;
};

class SelectMaker {
 public:
  explicit SelectMaker(std::mt19937& random) : random_(random) {}

  RandomSelect make();

 private:
  struct Place {  // a table with the name that it has in the query
    std::string table;
    std::string alias;
  };

  std::size_t below(std::size_t count) { return random_() % count; }
  bool chance(int percent) { return below(100) < static_cast<std::size_t>(percent); }
  std::string one_of(const std::vector<std::string>& texts) { return texts[below(texts.size())]; }

  std::string column();
  std::string literal();
  std::string expression(int depth);
  std::string comparison();
  std::string condition(int depth);
  std::string subquery_condition();
  std::string from();
  std::string join();
  std::string aggregate();
  std::string window();
  std::string select_list(std::size_t& columns);
  std::string tail(std::size_t columns, RandomSelect& made);
  RandomSelect plain();
  RandomSelect grouped();
  RandomSelect windowed();
  RandomSelect with_tables();
  RandomSelect compound();
  RandomSelect of_lists();

  std::mt19937& random_;
  std::vector<Place> places_;
};

}  // namespace notesdb
