#include "http/browser.h"

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

namespace notesdb::http {
namespace {

std::string read_address(int from) {
  std::string address;
  std::array<char, 512> bytes{};
  for (ssize_t count = 0; (count = ::read(from, bytes.data(), bytes.size())) > 0;)
    address.append(bytes.data(), static_cast<std::size_t>(count));
  return address;
}

void run(const char* program, std::string& address) {
  std::string name(program);
  std::array<char*, 3> words = {name.data(), address.data(), nullptr};
  ::execvp(program, words.data());
}

// The process aside: waits for the address, and for nothing else.
[[noreturn]] void become_browser(int from) {
  ::setsid();  // the signals of the terminal are for the server
  std::string address = read_address(from);
  if (address.empty()) std::_Exit(0);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  const char* chosen = std::getenv("BROWSER");  // NOLINT(concurrency-mt-unsafe): one thread
  if (chosen != nullptr && *chosen != '\0') run(chosen, address);
  for (const char* program : {"xdg-open", "sensible-browser", "open"})
    run(program, address);
  std::fprintf(stderr, "notesdb: no browser found (BROWSER, xdg-open); open %s\n", address.c_str());
  std::_Exit(1);
}

}  // namespace

Browser::Browser() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return;
  std::signal(SIGCHLD, SIG_IGN);  // nobody waits for it
  const pid_t process = ::fork();
  if (process == 0) {
    ::close(ends[1]);
    become_browser(ends[0]);
  }
  ::close(ends[0]);
  to_process_ = ends[1];
}

Browser::~Browser() {
  if (to_process_ >= 0) ::close(to_process_);
}

void Browser::open(const std::string& url) {
  if (to_process_ < 0) return;
  if (::write(to_process_, url.data(), url.size()) < 0)
    std::fprintf(stderr, "notesdb: cannot open the browser; open %s\n", url.c_str());
  ::close(to_process_);
  to_process_ = -1;
}

}  // namespace notesdb::http
