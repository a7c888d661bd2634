#include "database/key_order.h"

#include <algorithm>
#include <map>

#include "note/note.h"

namespace notesdb {
namespace {

constexpr std::size_t sample_size = 64;

}  // namespace

// Rows leave keys out, so one list alone seldom knows them all.
std::vector<std::string> usual_key_order(const FileSystem& files, const DatabaseFolder& folder) {
  const auto listing = folder.list_rows(files);
  if (!listing || listing->paths.empty()) return {};
  const std::size_t step = (listing->paths.size() + sample_size - 1) / sample_size;
  std::map<std::vector<std::string>, std::size_t> lists;
  for (std::size_t i = 0; i < listing->paths.size(); i += step) {
    const std::string path = folder.full_path(listing->paths[i]);
    auto bytes = files.read(path);
    if (!bytes) continue;
    const auto note = Note::parse(std::move(bytes->bytes), note_format_of(path));
    if (note) ++lists[note->keys()];
  }
  std::vector<std::pair<std::vector<std::string>, std::size_t>> by_count(lists.begin(),
                                                                         lists.end());
  std::stable_sort(by_count.begin(), by_count.end(), [](const auto& a, const auto& b) {
    return a.second > b.second;
  });
  // The most usual list leads; a key that it lacks goes behind the key that it follows elsewhere.
  std::vector<std::string> order;
  for (const auto& [keys, count] : by_count) {
    auto behind = order.begin();
    for (const std::string& key : keys) {
      const auto place = std::find(order.begin(), order.end(), key);
      behind = (place == order.end() ? order.insert(behind, key) : place) + 1;
    }
  }
  return order;
}

}  // namespace notesdb
