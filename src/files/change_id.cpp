#include "files/change_id.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <system_error>

#include <unistd.h>

namespace notesdb {
namespace {

constexpr std::string_view alphabet = "0123456789abcdefghjkmnpqrstvwxyz";
constexpr int time_letters = 11;
constexpr int chance_letters = 4;
constexpr unsigned bits_per_letter = 5;

std::int64_t later_than_before(std::int64_t now) {
  static std::atomic<std::int64_t> last{0};
  std::int64_t before = last.load();
  while (!last.compare_exchange_weak(before, std::max(now, before + 1))) {
  }
  return std::max(now, before + 1);
}

}  // namespace

std::int64_t now_us() {
  using std::chrono::duration_cast;
  using std::chrono::microseconds;
  return duration_cast<microseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

// Asked of the kernel: std::random_device asks the processor first which instructions it has, which
// takes a virtual machine longer than all the rest of a change's preparation.
std::string random_letters(int length) {
  std::string text(static_cast<std::size_t>(length), '\0');
  if (::getentropy(text.data(), text.size()) != 0)
    throw std::system_error(errno, std::generic_category());
  for (char& letter : text)
    letter = alphabet[static_cast<unsigned char>(letter) % alphabet.size()];
  return text;
}

std::string new_change_id() {
  auto time = static_cast<std::uint64_t>(later_than_before(now_us()));
  std::string id(time_letters, '0');
  for (auto letter = id.rbegin(); letter != id.rend(); ++letter) {
    *letter = alphabet[time % alphabet.size()];
    time >>= bits_per_letter;
  }
  return id + random_letters(chance_letters);
}

std::optional<std::int64_t> time_of_change(std::string_view id) {
  if (id.size() != time_letters + chance_letters) return std::nullopt;
  std::int64_t time = 0;
  for (std::size_t i = 0; i < id.size(); ++i) {
    const std::size_t digit = alphabet.find(id[i]);
    if (digit == std::string_view::npos) return std::nullopt;
    if (i < time_letters) {
      time =
          static_cast<std::int64_t>((static_cast<std::uint64_t>(time) << bits_per_letter) | digit);
    }
  }
  return time;
}

}  // namespace notesdb
