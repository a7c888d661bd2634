#include "search/search.h"

#include <algorithm>
#include <mutex>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include "core/budget.h"
#include "core/text.h"
#include "index/database_folder.h"
#include "search/index_file.h"
#include "search/search_text.h"
#include "search/text_index.h"

namespace notesdb {
namespace {

using search::Hit;
using search::Place;
using search::TextIndex;

constexpr std::int64_t all_rows = std::int64_t{1} << 53;

// What a question asks of the index, checked before the index is looked at.
struct Asked {
  SearchText text;
  std::vector<std::string> databases;            // to be searched
  std::optional<std::set<std::string>> passing;  // rows that pass the filters
};

// Of what can be read; case-folded.
std::set<std::string, std::less<>> columns_of(Workspace& workspace,
                                              const std::vector<std::string>& databases) {
  std::set<std::string, std::less<>> columns;
  for (const std::string& id : databases) {
    const auto folder = DatabaseFolder::read(workspace.files(), id);
    if (!folder) continue;
    for (const Column& column : (*folder)->schema().columns)
      columns.insert(fold_case(column.id));
  }
  return columns;
}

Result<void> take_text(Workspace& workspace, const SearchRequest& request, Asked& asked) {
  std::set<std::string, std::less<>> columns;
  if (names_fields(request.text)) columns = columns_of(workspace, asked.databases);
  auto text = parse_search_text(request.text, columns);
  if (!text) return text.error();
  asked.text = std::move(*text);
  return {};
}

Result<Asked> ask(Workspace& workspace, const SearchRequest& request) {
  Asked asked;
  if (request.database_id.empty()) {
    if (!request.filters.is_null()) {
      return Error{ErrorCode::invalid_argument,
                   "'filters' are about the columns of one database: name it as 'database_id'",
                   Map{}};
    }
    auto ids = workspace.database_ids();
    if (!ids) return ids.error();
    asked.databases = std::move(ids->ids);
    if (auto done = take_text(workspace, request, asked); !done) return done.error();
    return asked;
  }
  const auto database = workspace.get(request.database_id);
  if (!database) return database.error();
  asked.databases = {request.database_id};
  if (auto done = take_text(workspace, request, asked); !done) return done.error();
  if (request.filters.is_null()) return asked;
  QueryRequest query;
  query.filters = request.filters;
  query.select = {"_id"};
  query.limit = all_rows;
  const auto rows = (*database)->query(query);
  if (!rows) return rows.error();
  asked.passing.emplace();
  for (const Row& row : rows->rows)
    asked.passing->insert(row.id);
  return asked;
}

// What is read here the next search need not read.
Result<void> refresh(TextIndex& index, Workspace& workspace, const std::string& id) {
  const auto database = workspace.get(id);
  if (!database) return database.error();
  const auto folder = DatabaseFolder::read(workspace.files(), id);
  if (!folder) return folder.error();
  return index.refresh(workspace.files(), **database, **folder);
}

void keep_passing(TextIndex& index,
                  const std::string& database,
                  const std::set<std::string>& passing,
                  std::vector<Hit>& hits) {
  const auto numbers = index.numbers(database, passing);
  std::erase_if(hits,
                [&](const Hit& hit) { return !std::ranges::binary_search(numbers, hit.number); });
}

struct Ranked {
  Hit hit;
  Place place;
};

// Moves the best `count` hits, and all that share a score with the last of them, to the front, in
// order. A common word is in most rows, of which a page is a few.
std::span<const Hit> best(std::vector<Hit>& hits, std::size_t count) {
  const auto last = hits.begin() + static_cast<std::ptrdiff_t>(count) - 1;
  std::ranges::nth_element(hits, last, {}, &Hit::score);
  const double worst = last->score;
  const auto rest =
      std::ranges::partition(hits, [&](const Hit& hit) { return hit.score <= worst; });
  std::ranges::sort(hits.begin(), rest.begin(), {}, &Hit::score);
  return {hits.begin(), rest.begin()};
}

// The hits from `begin` to `end`. Those of one score stand in the order of their names, so the ones
// that share a score with either end of the page are looked at too.
std::vector<Ranked> rank(TextIndex& index,
                         std::vector<Hit>& found,
                         std::size_t begin,
                         std::size_t end) {
  if (begin == end) return {};
  const std::span<const Hit> hits = best(found, end);
  std::size_t first = begin;
  while (first > 0 && hits[first - 1].score == hits[begin].score)
    --first;
  const auto around = hits.subspan(first);
  auto places = index.places(around);
  std::vector<Ranked> ranked;
  for (std::size_t at = 0; at < around.size(); ++at)
    ranked.push_back({around[at], std::move(places[at])});
  std::ranges::sort(ranked, {}, [](const Ranked& row) {
    return std::tie(row.hit.score, row.place.database, row.place.id);
  });
  ranked.erase(ranked.begin() + static_cast<std::ptrdiff_t>(end - first), ranked.end());
  ranked.erase(ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(begin - first));
  return ranked;
}

Result<SearchAnswer> look_up(TextIndex& index,
                             Workspace& workspace,
                             const SearchRequest& request,
                             const Asked& asked) {
  std::vector<std::string> readable;
  for (const std::string& id : asked.databases) {
    const auto done = refresh(index, workspace, id);
    if (!done && !request.database_id.empty()) return done.error();
    if (done) readable.push_back(id);  // a database that cannot be read has no rows to be found
  }
  if (request.database_id.empty()) index.keep_only(readable);
  index.begin_asking();
  std::vector<Hit> hits = index.find(asked.text.expression, request.database_id);
  if (asked.passing) keep_passing(index, request.database_id, *asked.passing, hits);
  SearchAnswer answer;
  answer.total = static_cast<std::int64_t>(hits.size());
  const auto begin = std::min(request.offset, answer.total);
  const auto end = begin + std::min(request.limit, answer.total - begin);
  auto ranked = rank(index, hits, static_cast<std::size_t>(begin), static_cast<std::size_t>(end));
  std::vector<std::int64_t> numbers;
  for (const Ranked& row : ranked)
    numbers.push_back(row.hit.number);
  auto excerpts = index.excerpts(asked.text.wanted, numbers);
  for (Ranked& row : ranked) {
    auto& [title, snippet] = excerpts[row.hit.number];
    answer.rows.push_back({std::move(row.place.database),
                           std::move(row.place.id),
                           parse_etag(row.place.etag).value_or(Etag{}),
                           std::move(title),
                           std::move(snippet)});
  }
  index.done();
  return answer;
}

Result<SearchAnswer> search_in(const std::string& path,
                               Workspace& workspace,
                               const SearchRequest& request,
                               const Asked& asked) {
  TextIndex index(path);
  return look_up(index, workspace, request, asked);
}

// The index of a workspace that stays, open from one search to the next.
struct KeptIndex {
  std::mutex mutex;
  std::optional<TextIndex> index;
  std::uint64_t identity = 0;  // of its file
};

// Empty where another search has it at the moment.
std::optional<Result<SearchAnswer>> search_in_kept(const std::string& path,
                                                   Workspace& workspace,
                                                   const SearchRequest& request,
                                                   const Asked& asked) {
  const auto kept = std::static_pointer_cast<KeptIndex>(
      workspace.search_state([] { return std::make_shared<KeptIndex>(); }));
  const std::unique_lock lock(kept->mutex, std::try_to_lock);
  if (!lock) return std::nullopt;
  try {
    if (kept->identity != search::identity_of(path)) kept->index.reset();
    if (!kept->index) {
      kept->index.emplace(path);
      kept->identity = search::identity_of(path);
    }
    return look_up(*kept->index, workspace, request, asked);
  } catch (...) {
    kept->index.reset();  // it may be in the middle of something
    throw;
  }
}

}  // namespace

Result<SearchAnswer> search_rows(Workspace& workspace, const SearchRequest& request) try {
  const auto asked = ask(workspace, request);
  if (!asked) return asked.error();
  const auto path = search::index_file(workspace);
  // A file that SQLite cannot use is made again; where that fails too, memory will do. One that others
  // are writing to is waited for as long as the question may take.
  for (int attempt = 0; path && attempt < 2;) {
    try {
      if (workspace.stays()) {
        auto answer = search_in_kept(*path, workspace, request, *asked);
        if (answer) return *std::move(answer);
      }
      return search_in(*path, workspace, request, *asked);
    } catch (const sqlite::Busy&) {
      Budget::look();
    } catch (const sqlite::Failure&) {
      search::remove_index(*path);
      ++attempt;
    }
  }
  try {
    return search_in(":memory:", workspace, request, *asked);
  } catch (const sqlite::Failure& failure) {
    return Error{ErrorCode::internal, std::string("the search failed: ") + failure.what(), Map{}};
  }
} catch (const BudgetSpent& spent) {
  return spent.error();
}

}  // namespace notesdb
