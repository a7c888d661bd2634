#include "cli/terminal.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <system_error>

#include <sys/wait.h>
#include <unistd.h>

namespace notesdb::cli {

namespace {

// The code point of a control of two or three bytes at this place; 0 if there is none.
unsigned control_at(std::string_view text) {
  auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  if (byte(0) == 0xc2 && byte(1) >= 0x80 && byte(1) < 0xa0) return byte(1);
  if (byte(0) != 0xe2) return 0;
  unsigned point = 0x2000U | ((byte(1) & 0x3fU) << 6U) | (byte(2) & 0x3fU);
  bool is_mark = point == 0x200e || point == 0x200f;
  bool is_embedding = point >= 0x202a && point <= 0x202e;
  bool is_isolate = point >= 0x2066 && point <= 0x2069;
  return is_mark || is_embedding || is_isolate ? point : 0;
}

}  // namespace

std::string escape_inside_quotes(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    unsigned point = control_at(text);
    if (point == 0) {
      out += text.front();
      text.remove_prefix(1);
      continue;
    }
    std::array<char, 8> escape{};
    std::snprintf(escape.data(), escape.size(), "\\u%04x", point);
    out += escape.data();
    text.remove_prefix(point < 0x800 ? 2 : 3);
  }
  return out;
}

namespace {

constexpr std::string_view plain = "\x1b[0m";
constexpr std::string_view bold = "\x1b[1m";
constexpr std::string_view dim = "\x1b[2m";
constexpr std::string_view red = "\x1b[31m";
constexpr std::string_view green = "\x1b[32m";
constexpr std::string_view cyan = "\x1b[36m";

void append(std::string& out, std::string_view style, std::string_view line) {
  if (style.empty()) {
    out += line;
    return;
  }
  const bool has_end = line.ends_with('\n');
  out += style;
  out += line.substr(0, line.size() - (has_end ? 1 : 0));
  out += plain;
  if (has_end) out += '\n';
}

// Each line in the style that `style_of(line, number)` gives it.
template <typename StyleOf>
std::string by_line(std::string_view text, StyleOf style_of) {
  std::string out;
  for (std::size_t number = 0; !text.empty(); ++number) {
    const std::string_view line = text.substr(0, text.find('\n') + 1);
    const std::string_view taken = line.empty() ? text : line;
    append(out, style_of(taken, number), taken);
    text.remove_prefix(taken.size());
  }
  return out;
}

}  // namespace

bool wants_colours(std::string_view choice, const Environment& environment, bool is_terminal) {
  if (choice == "always") return true;
  if (choice == "never" || !is_terminal) return false;
  const auto refused = environment("NO_COLOR");
  return !refused || refused->empty();
}

std::string colour_choice(const std::vector<std::string>& words) {
  constexpr std::string_view flag = "--color";
  std::string choice = "auto";
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == flag && i + 1 < words.size()) choice = words[++i];
    if (words[i].starts_with("--color=")) choice = words[i].substr(flag.size() + 1);
  }
  return choice;
}

std::string coloured_table(const std::string& table) {
  return by_line(table, [](std::string_view, std::size_t number) {
    return number == 0 ? bold : number == 1 ? dim : std::string_view();
  });
}

std::string coloured_title(const std::string& line) {
  return std::string(bold) + line + std::string(plain);
}

std::string coloured_diff(const std::string& diff) {
  return by_line(diff, [](std::string_view line, std::size_t) {
    if (line.starts_with("---") || line.starts_with("+++")) return bold;
    if (line.starts_with("@@")) return cyan;
    if (line.starts_with('-')) return red;
    return line.starts_with('+') ? green : std::string_view();
  });
}

namespace {

bool is_more_than_a_screen(std::string_view text, int height) {
  return height > 0 && std::ranges::count(text, '\n') >= height;
}

// Empty where there is none to be used.
std::string program() {
  const char* named = std::getenv("PAGER");
  return named == nullptr ? "less" : named;
}

bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(descriptor, text.data(), text.size());
    if (count <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

// Whether the pager showed the text. A person who leaves it early has seen enough.
bool page(const std::string& pager, std::string_view text) {
  int ends[2];
  if (::pipe(ends) != 0) return false;
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(ends[0], STDIN_FILENO);
    ::close(ends[0]);
    ::close(ends[1]);
    ::setenv("LESS", "FRX", 0);
    ::execl("/bin/sh", "sh", "-c", pager.c_str(), static_cast<char*>(nullptr));
    ::_exit(127);
  }
  ::close(ends[0]);
  // Ctrl-C is the pager's while it runs.
  const auto before = std::signal(SIGINT, SIG_IGN);
  if (child > 0) write_all(ends[1], text);
  ::close(ends[1]);
  int status = 0;
  while (child > 0 && ::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  std::signal(SIGINT, before);
  if (child < 0) return false;
  constexpr int not_found = 127;
  return !(WIFEXITED(status) && WEXITSTATUS(status) == not_found);
}

}  // namespace

Console::Write writer_for(const std::vector<std::string>& words) {
  const bool is_refused = std::ranges::find(words, "--no-pager") != words.end();
  const Reader reader = reader_of_process();
  const std::string pager = program();
  if (is_refused || !reader.is_terminal || pager.empty() || pager == "cat") return write_to;
  return [pager, height = reader.height](Stream stream, std::string_view text) {
    if (stream == Stream::out && is_more_than_a_screen(text, height) && page(pager, text))
      return true;
    return write_to(stream, text);
  };
}

namespace {

std::atomic<const char*> sentence_at{nullptr};
std::atomic<std::size_t> sentence_size{0};

void say_and_end(int signal) {
  const char* sentence = sentence_at.load();
  if (sentence != nullptr) {
    // The line that counts seconds gives way.
    constexpr std::string_view erased = "\r\x1b[K";
    if (::isatty(STDERR_FILENO) == 1 && ::write(STDERR_FILENO, erased.data(), erased.size()) < 0) {
    }
    if (::write(STDERR_FILENO, sentence, sentence_size.load()) < 0) {
    }
  }
  std::signal(signal, SIG_DFL);
  ::raise(signal);
}

}  // namespace

InterruptNotice::InterruptNotice(std::string_view sentence) {
  struct sigaction now {};
  if (::sigaction(SIGINT, nullptr, &now) != 0 || now.sa_handler != SIG_DFL) return;
  sentence_size = sentence.size();
  sentence_at = sentence.data();
  struct sigaction ours {};
  ours.sa_handler = say_and_end;
  is_set_ = ::sigaction(SIGINT, &ours, nullptr) == 0;
}

InterruptNotice::~InterruptNotice() {
  if (!is_set_) return;
  std::signal(SIGINT, SIG_DFL);
  sentence_at = nullptr;
}

namespace {

constexpr std::string_view erased = "\r\x1b[K";

bool is_watched(const Session& session) {
  return &session.around == &own_environment() && ::isatty(STDERR_FILENO) == 1;
}

}  // namespace

Waiting::Waiting(const Session& session, const std::string& command) {
  if (!is_watched(session)) return;
  try {
    thread_ = std::thread([this, command] { count(command); });
  } catch (const std::system_error&) {
    // Then nobody is told; the work is what matters.
  }
}

Waiting::~Waiting() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard guard(mutex_);
    over_ = true;
  }
  ending_.notify_all();
  thread_.join();
}

void Waiting::show(std::string progress) {
  const std::lock_guard guard(mutex_);
  progress_ = std::move(progress);
}

void Waiting::count(const std::string& command) {
  std::unique_lock guard(mutex_);
  int seconds = 0;
  while (!ending_.wait_for(guard, std::chrono::seconds(1), [this] { return over_; })) {
    ++seconds;
    std::string line = "notesdb " + command + ": " + std::to_string(seconds) + " s";
    if (!progress_.empty()) line += ", " + progress_;
    write_to(Stream::err, std::string(erased) + line);
  }
  if (seconds > 0) write_to(Stream::err, erased);
}

}  // namespace notesdb::cli
