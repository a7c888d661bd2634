// What real hosts send, and what they must get: every file of transcripts/ against the fixture.
//
//   # a remark
//   > what the client sends, byte for byte
//   < the next message of the server, or the part of it that matters ("..." is any value)
//
// After the last "<" before a ">" the server must have nothing more to say.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "mcp/conversation.h"

namespace notesdb::mcp {
namespace {

std::vector<std::filesystem::path> transcripts() {
  std::vector<std::filesystem::path> files;
  const std::filesystem::path folder = std::string(NOTESDB_SOURCE_DIR) + "/tests/mcp/transcripts";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

void play(std::istream& lines) {
  const auto server = fixture_server();
  Conversation client(*server);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    INFO("line " << number << ": " << line);
    if (line.starts_with("> ")) {
      const Json more = client.next();
      INFO("the server also said " << more);
      REQUIRE(more.is_null());
      client.say(line.substr(2));
    } else if (line.starts_with("< ")) {
      const Json actual = client.next();
      INFO("the server said " << actual);
      REQUIRE(contains(actual, Json::parse(line.substr(2))));
    }
  }
  CHECK(client.next().is_null());
}

TEST_CASE("every transcript of a host is answered as it stands there", "[mcp]") {
  const auto files = transcripts();
  REQUIRE(files.size() >= 5);
  for (const auto& file : files) {
    INFO(file.filename());
    std::ifstream lines(file);
    play(lines);
  }
}

}  // namespace
}  // namespace notesdb::mcp
