#include "git/git_run.h"

#include <chrono>
#include <csignal>
#include <thread>

#include <catch2/catch.hpp>
#include <sys/wait.h>
#include <unistd.h>

#include "files/temporary_folder.h"

using namespace notesdb;

namespace {

// Whether a file comes to be there within ten seconds.
bool comes(const std::string& path) {
  constexpr int max_looks = 2000;
  for (int look = 0; look < max_looks; ++look) {
    if (::access(path.c_str(), F_OK) == 0) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

}  // namespace

TEST_CASE("a program gets its input, and what it prints is kept however much it is", "[git]") {
  const std::string much(300'000, 'x');
  Result<ProgramEnd> end =
      run_program({.words = {"sh", "-c", "tee /dev/stderr; exit 3"}, .input = much});
  REQUIRE(end);
  CHECK(end->exit_code == 3);
  CHECK(end->out == much);
  CHECK(end->err == much);
}

TEST_CASE("a program that ends before it has read its input is no failure of ours", "[git]") {
  Result<ProgramEnd> end = run_program({.words = {"true"}, .input = std::string(300'000, 'x')});
  REQUIRE(end);
  CHECK(end->ok());
}

TEST_CASE("a program that takes too long is ended with what it started", "[git]") {
  const TemporaryFolder folder;
  const std::string script = "cd '" + folder.path() + "' && (sleep 30; touch late) & sleep 30";
  const auto begin = std::chrono::steady_clock::now();
  Result<ProgramEnd> end = run_program({.words = {"sh", "-c", script},
                                        .signals = SignalsOf::its_own,
                                        .max_time = std::chrono::milliseconds(200)});
  REQUIRE_FALSE(end);
  CHECK(end.error().code == ErrorCode::limit_exceeded);
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(10));
}

TEST_CASE("a program that prints without end is ended", "[git]") {
  Result<ProgramEnd> end = run_program(
      {.words = {"yes"}, .signals = SignalsOf::its_own, .max_output = std::uint64_t{1} << 20U});
  REQUIRE_FALSE(end);
  CHECK(end.error().message.find("1 MiB") != std::string::npos);
}

TEST_CASE("a program is not looked for in the folder that we stand in", "[git]") {
  Result<ProgramEnd> end =
      run_program({.words = {"true"}, .environment = std::vector<std::string>{"PATH=.:bin:"}});
  REQUIRE_FALSE(end);
  CHECK(end.error().code == ErrorCode::io_error);
}

TEST_CASE("a step that runs apart comes to its end though we are killed and it prints", "[git]") {
  const TemporaryFolder folder;
  const std::string script = "cd '" + folder.path() +
                             "' && touch begun && until [ -e killed ]; do sleep 0.01; done\n"
                             "echo a word; echo another >&2; echo a third; touch ended";
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const Result<ProgramEnd> end =
        run_program({.words = {"sh", "-c", script}, .signals = SignalsOf::its_own});
    ::_exit(end && end->ok() ? 0 : 1);
  }
  REQUIRE(comes(folder.at("begun")));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  folder.put("killed", "");
  CHECK(comes(folder.at("ended")));
}
