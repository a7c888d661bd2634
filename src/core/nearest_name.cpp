#include <algorithm>
#include <array>
#include <numeric>

#include "core/text.h"

namespace notesdb {

namespace {

// A word that people and models bring, and the names of ours it may stand for, best first.
struct Synonym {
  std::string_view word;
  std::array<std::string_view, 3> names;
};

constexpr std::array synonyms{
    // operators
    Synonym{"=", {"eq"}},
    Synonym{"==", {"eq"}},
    Synonym{"is", {"eq"}},
    Synonym{"equal", {"eq"}},
    Synonym{"equals", {"eq"}},
    Synonym{"equal_to", {"eq"}},
    Synonym{"on", {"eq"}},
    Synonym{"!=", {"neq"}},
    Synonym{"<>", {"neq"}},
    Synonym{"ne", {"neq"}},
    Synonym{"not", {"neq"}},
    Synonym{"is_not", {"neq"}},
    Synonym{"not_equal", {"neq"}},
    Synonym{"not_equals", {"neq"}},
    Synonym{"not_eq", {"neq"}},
    Synonym{"<", {"lt"}},
    Synonym{"before", {"lt"}},
    Synonym{"less", {"lt"}},
    Synonym{"less_than", {"lt"}},
    Synonym{"below", {"lt"}},
    Synonym{"under", {"lt"}},
    Synonym{">", {"gt"}},
    Synonym{"after", {"gt"}},
    Synonym{"since", {"gte"}},
    Synonym{"greater", {"gt"}},
    Synonym{"greater_than", {"gt"}},
    Synonym{"more_than", {"gt"}},
    Synonym{"above", {"gt"}},
    Synonym{"over", {"gt"}},
    Synonym{">=", {"gte"}},
    Synonym{"ge", {"gte"}},
    Synonym{"at_least", {"gte"}},
    Synonym{"on_or_after", {"gte"}},
    Synonym{"greater_or_equal", {"gte"}},
    Synonym{"greater_than_or_equal", {"gte"}},
    Synonym{"<=", {"lte"}},
    Synonym{"le", {"lte"}},
    Synonym{"until", {"lte"}},
    Synonym{"at_most", {"lte"}},
    Synonym{"on_or_before", {"lte"}},
    Synonym{"less_or_equal", {"lte"}},
    Synonym{"less_than_or_equal", {"lte"}},
    Synonym{"like", {"contains"}},
    Synonym{"ilike", {"contains"}},
    Synonym{"has", {"contains"}},
    Synonym{"include", {"contains"}},
    Synonym{"includes", {"contains"}},
    Synonym{"not_like", {"not_contains"}},
    Synonym{"excludes", {"not_contains"}},
    Synonym{"does_not_contain", {"not_contains"}},
    Synonym{"begins_with", {"starts_with"}},
    Synonym{"prefix", {"starts_with"}},
    Synonym{"suffix", {"ends_with"}},
    Synonym{"empty", {"is_empty"}},
    Synonym{"null", {"is_empty"}},
    Synonym{"is_null", {"is_empty"}},
    Synonym{"missing", {"is_empty"}},
    Synonym{"blank", {"is_empty"}},
    Synonym{"not_exists", {"is_empty"}},
    Synonym{"exists", {"is_not_empty"}},
    Synonym{"not_empty", {"is_not_empty"}},
    Synonym{"not_null", {"is_not_empty"}},
    Synonym{"is_not_null", {"is_not_empty"}},
    Synonym{"present", {"is_not_empty"}},
    Synonym{"any_of", {"in", "any"}},
    Synonym{"is_any_of", {"in"}},
    Synonym{"one_of", {"in"}},
    Synonym{"none_of", {"not_in"}},
    Synonym{"nin", {"not_in"}},
    Synonym{"~", {"matches"}},
    Synonym{"=~", {"matches"}},
    Synonym{"regex", {"matches"}},
    Synonym{"regexp", {"matches"}},
    Synonym{"rlike", {"matches"}},
    // directions and functions
    Synonym{"ascending", {"asc"}},
    Synonym{"up", {"asc"}},
    Synonym{"descending", {"desc"}},
    Synonym{"down", {"desc"}},
    Synonym{"reverse", {"desc"}},
    Synonym{"average", {"avg"}},
    Synonym{"mean", {"avg", "average"}},
    Synonym{"total", {"sum", "count"}},
    Synonym{"minimum", {"min"}},
    Synonym{"maximum", {"max"}},
    Synonym{"distinct", {"count_distinct"}},
    Synonym{"unique", {"count_distinct"}},
    Synonym{"nunique", {"count_distinct"}},
    Synonym{"daily", {"day"}},
    Synonym{"weekly", {"week"}},
    Synonym{"monthly", {"month"}},
    Synonym{"quarterly", {"quarter"}},
    Synonym{"yearly", {"year"}},
    // types
    Synonym{"string", {"text"}},
    Synonym{"str", {"text"}},
    Synonym{"int", {"number"}},
    Synonym{"integer", {"number"}},
    Synonym{"float", {"number"}},
    Synonym{"double", {"number"}},
    Synonym{"decimal", {"number"}},
    Synonym{"bool", {"checkbox"}},
    Synonym{"boolean", {"checkbox"}},
    Synonym{"timestamp", {"datetime"}},
    Synonym{"time", {"datetime"}},
    Synonym{"enum", {"select"}},
    Synonym{"choice", {"select"}},
    Synonym{"status", {"select"}},
    Synonym{"tags", {"multi-select", "list"}},
    Synonym{"multiselect", {"multi-select"}},
    Synonym{"array", {"list"}},
    Synonym{"link", {"url", "relation"}},
    Synonym{"uri", {"url"}},
    Synonym{"reference", {"relation"}},
    Synonym{"ref", {"relation"}},
    Synonym{"object", {"json"}},
    Synonym{"map", {"json"}},
    Synonym{"dict", {"json"}},
    // arguments
    Synonym{"where", {"filters"}},
    Synonym{"query", {"text", "filters"}},
    Synonym{"q", {"text", "query"}},
    Synonym{"sql", {"query"}},
    Synonym{"conditions", {"filters"}},
    Synonym{"order", {"direction", "sort"}},
    Synonym{"order_by", {"sort", "direction"}},
    Synonym{"sort_by", {"sort"}},
    Synonym{"columns", {"select", "fields"}},
    Synonym{"page_size", {"limit"}},
    Synonym{"top", {"limit"}},
    Synonym{"skip", {"offset"}},
    Synonym{"start", {"offset"}},
    Synonym{"db", {"database_id"}},
    Synonym{"table", {"database_id"}},
    Synonym{"database", {"database_id"}},
    Synonym{"id", {"row_id", "_id", "database_id"}},
    Synonym{"row", {"row_id"}},
    Synonym{"values", {"fields", "value"}},
    Synonym{"data", {"fields"}},
    Synonym{"properties", {"fields"}},
    Synonym{"column", {"field"}},
    Synonym{"property", {"field"}},
    Synonym{"op", {"operator", "action"}},
    Synonym{"operation", {"operator", "action"}},
    Synonym{"content", {"body"}},
    Synonym{"group", {"group_by"}},
    Synonym{"by", {"group_by", "field"}},
    Synonym{"aggregates", {"metrics"}},
    Synonym{"aggregations", {"metrics"}},
    Synonym{"dir", {"direction"}},
    Synonym{"or", {"any"}},
    Synonym{"verb", {"action"}},
    Synonym{"method", {"action"}},
    Synonym{"remove_column", {"drop_column"}},
    Synonym{"delete_column", {"drop_column"}},
    Synonym{"create_column", {"add_column"}},
    Synonym{"add_field", {"add_column"}},
    Synonym{"rename_field", {"rename_column"}},
    Synonym{"modify_column", {"set_column"}},
    Synonym{"alter_column", {"set_column"}},
    Synonym{"delete_view", {"drop_view"}},
    Synonym{"remove_view", {"drop_view"}},
    Synonym{"remove", {"delete"}},
    Synonym{"create", {"insert"}},
    Synonym{"add", {"insert"}},
    Synonym{"edit", {"update"}},
    Synonym{"set", {"fields", "update"}},
    Synonym{"key", {"field"}},
    Synonym{"name", {"field"}},
    Synonym{"fn", {"function"}},
    Synonym{"func", {"function"}},
    Synonym{"metric", {"function"}},
    Synonym{"agg", {"function"}},
    Synonym{"val", {"value"}},
    Synonym{"alias", {"as"}},
    Synonym{"version", {"etag"}},
    Synonym{"body", {"_body"}},
    Synonym{"path", {"_path"}},
    Synonym{"modified", {"_modified"}},
    Synonym{"updated", {"_modified"}},
    Synonym{"mtime", {"_modified"}},
};

// Case, spaces and hyphens make no difference between two names.
std::u32string comparable(std::string_view name) {
  constexpr std::size_t max_compared = 64;
  std::u32string out;
  std::string folded = fold_case(to_utf8(name.substr(0, 4 * max_compared)));
  for (std::size_t i = 0; i < folded.size() && out.size() < max_compared; ++i) {
    auto byte = static_cast<unsigned char>(folded[i]);
    if ((byte & 0xC0U) == 0x80U) {
      out.back() = (out.back() << 6U) | (byte & 0x3FU);
    } else {
      out += byte == '-' || byte == ' ' ? U'_' : char32_t{byte};
    }
  }
  return out;
}

// Insertions, deletions, substitutions and swaps of neighbours that lead from a to b.
std::size_t edit_distance(const std::u32string& a, const std::u32string& b) {
  std::vector<std::size_t> before_last(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      std::size_t substituted = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, substituted});
      bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    std::swap(before_last, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

const std::string* find_comparable(const std::u32string& wanted,
                                   const std::vector<std::string>& choices) {
  auto found = std::ranges::find(choices, wanted, comparable);
  return found == choices.end() ? nullptr : &*found;
}

const std::string* find_synonym(const std::u32string& given,
                                const std::vector<std::string>& choices) {
  auto known = std::ranges::find(
      synonyms, given, [](const Synonym& synonym) { return comparable(synonym.word); });
  if (known == synonyms.end()) return nullptr;
  for (std::string_view name : known->names) {
    auto found = std::ranges::find(choices, name);
    if (!name.empty() && found != choices.end()) return &*found;
  }
  return nullptr;
}

// story and stories, task and tasks.
bool is_plural_of(const std::u32string& many, const std::u32string& one) {
  if (one.size() < 3) return false;
  const std::u32string stem = one.substr(0, one.size() - 1);
  return many == one + U"s" || many == one + U"es" || (one.back() == U'y' && many == stem + U"ies");
}

bool near_enough(std::size_t distance, const std::u32string& given, const std::u32string& choice) {
  constexpr std::size_t shortest_prefix = 3;
  if (given.size() >= shortest_prefix && choice.starts_with(given)) return true;
  std::size_t longer = std::max(given.size(), choice.size());
  return distance <= std::max<std::size_t>(1, longer / 3) && distance < longer;
}

}  // namespace

std::optional<std::string> nearest_name(std::string_view given,
                                        const std::vector<std::string>& choices) {
  std::u32string wanted = comparable(given);
  if (const std::string* same = find_comparable(wanted, choices)) return *same;
  if (const std::string* meant = find_synonym(wanted, choices)) return *meant;
  const auto same_but_number = std::ranges::find_if(choices, [&](const std::string& choice) {
    const std::u32string candidate = comparable(choice);
    return is_plural_of(candidate, wanted) || is_plural_of(wanted, candidate);
  });
  if (same_but_number != choices.end()) return *same_but_number;
  const std::string* best = nullptr;
  std::size_t least = 0;
  for (const std::string& choice : choices) {
    std::u32string candidate = comparable(choice);
    std::size_t distance = edit_distance(wanted, candidate);
    if (!near_enough(distance, wanted, candidate)) continue;
    if (best != nullptr && distance >= least) continue;
    best = &choice;
    least = distance;
  }
  if (best == nullptr) return std::nullopt;
  return *best;
}

std::vector<std::string> nearest_names(std::string_view given,
                                       const std::vector<std::string>& choices,
                                       std::size_t most) {
  struct Ranked {
    std::size_t distance;
    std::size_t place;
    auto operator<=>(const Ranked&) const = default;
  };
  std::u32string wanted = comparable(given);
  std::vector<Ranked> ranked;
  ranked.reserve(choices.size());
  for (std::size_t i = 0; i < choices.size(); ++i) {
    ranked.push_back({edit_distance(wanted, comparable(choices[i])), i});
  }
  std::size_t count = std::min(most, ranked.size());
  std::ranges::partial_sort(ranked, ranked.begin() + static_cast<std::ptrdiff_t>(count));
  std::vector<std::string> nearest;
  for (std::size_t i = 0; i < count; ++i)
    nearest.push_back(choices[ranked[i].place]);
  return nearest;
}

}  // namespace notesdb
