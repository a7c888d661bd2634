#include "cli/interrupt.h"

#include <atomic>
#include <csignal>

#include <unistd.h>

namespace notesdb::cli {

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

}  // namespace notesdb::cli
