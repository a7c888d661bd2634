#include "sqlite/word_rank.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <utility>

#include <sqlite3.h>

namespace notesdb::sqlite {
namespace {

// As in bm25().
constexpr double k1 = 1.2;
constexpr double b = 0.75;
constexpr double least_idf = 1e-6;

constexpr double codes_per_doubling = 16;

double length_of(std::size_t code) {
  return std::exp2(static_cast<double>(code) / codes_per_doubling) - 1;
}

// What is the same for all rows of a question.
struct Question {
  std::vector<double> idf;            // by phrase
  std::array<double, 256> lengths{};  // by the last byte of a row's number: what k1 counts
};

int count_row(const Fts5ExtensionApi*, Fts5Context*, void* count) noexcept {
  ++*static_cast<std::int64_t*>(count);
  return SQLITE_OK;
}

std::unique_ptr<Question> question_of(const Fts5ExtensionApi* api, Fts5Context* context) {
  sqlite3_int64 rows = 0;
  sqlite3_int64 words = 0;
  if (api->xRowCount(context, &rows) != SQLITE_OK) return nullptr;
  if (api->xColumnTotalSize(context, -1, &words) != SQLITE_OK) return nullptr;
  auto question = std::make_unique<Question>();
  for (int phrase = 0; phrase < api->xPhraseCount(context); ++phrase) {
    std::int64_t count = 0;
    if (api->xQueryPhrase(context, phrase, &count, count_row) != SQLITE_OK) return nullptr;
    const auto with = static_cast<double>(count);
    const double idf = std::log((static_cast<double>(rows) - with + 0.5) / (with + 0.5));
    question->idf.push_back(std::max(idf, least_idf));
  }
  const double usual = std::max(static_cast<double>(words) / static_cast<double>(rows), 1.0);
  for (std::size_t code = 0; code < question->lengths.size(); ++code)
    question->lengths[code] = k1 * (1 - b + b * length_of(code) / usual);
  return question;
}

void drop_question(void* question) noexcept {
  delete static_cast<Question*>(question);
}

double rank_row(const Fts5ExtensionApi* api,
                Fts5Context* context,
                const Question& question,
                const std::vector<double>& weights) {
  const auto length = question.lengths[static_cast<std::size_t>(api->xRowid(context)) & 0xFFU];
  double rank = 0;
  for (std::size_t phrase = 0; phrase < question.idf.size(); ++phrase) {
    double found = 0;
    Fts5PhraseIter iterator{};
    int column = -1;
    int place = 0;
    if (api->xPhraseFirst(context, static_cast<int>(phrase), &iterator, &column, &place) !=
        SQLITE_OK)
      continue;
    for (; column >= 0; api->xPhraseNext(context, &iterator, &column, &place))
      found += static_cast<std::size_t>(column) < weights.size()
                   ? weights[static_cast<std::size_t>(column)]
                   : 1.0;
    rank -= question.idf[phrase] * found * (k1 + 1) / (found + length);
  }
  return rank;
}

void word_rank(const Fts5ExtensionApi* api,
               Fts5Context* context,
               sqlite3_context* result,
               int,
               sqlite3_value**) noexcept {
  try {
    auto* question = static_cast<Question*>(api->xGetAuxdata(context, 0));
    if (question == nullptr) {
      auto made = question_of(api, context);
      if (!made) return sqlite3_result_error_code(result, SQLITE_ERROR);
      question = made.release();
      if (api->xSetAuxdata(context, question, drop_question) != SQLITE_OK)
        return sqlite3_result_error_code(result, SQLITE_NOMEM);
    }
    const auto& weights = *static_cast<const std::vector<double>*>(api->xUserData(context));
    sqlite3_result_double(result, rank_row(api, context, *question, weights));
  } catch (...) {
    sqlite3_result_error_nomem(result);
  }
}

}  // namespace

std::uint8_t length_code(std::size_t words) {
  const double code = std::round(std::log2(static_cast<double>(words) + 1) * codes_per_doubling);
  return static_cast<std::uint8_t>(std::min(code, 255.0));
}

void add_word_rank(Connection& connection, const std::string& name, std::vector<double> weights) {
  fts5_api* const api = fts5_of(connection);
  auto kept = std::make_unique<std::vector<double>>(std::move(weights));
  const auto drop = [](void* dropped) { delete static_cast<std::vector<double>*>(dropped); };
  if (api->xCreateFunction(api, name.c_str(), kept.get(), word_rank, drop) != SQLITE_OK)
    throw Failure("SQLite takes no function '" + name + "'");
  (void)kept.release();
}

}  // namespace notesdb::sqlite
