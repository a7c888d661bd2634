#include "serving/local_answer.h"

#include <algorithm>

#include "cli/command.h"
#include "cli/terminal.h"
#include "database/settings.h"
#include "operations/catalog.h"
#include "serving/local_place.h"
#include "serving/own_settings.h"

namespace notesdb {
namespace {

// Whether these words may be a server's affair: a command that reads, and reads only its workspace.
// `-` stands for this process's own input.
bool may_be_asked(const std::vector<std::string>& words) {
  const auto place = cli::find_command_word(words);
  if (!place || !is_reading_command(words[*place])) return false;
  return std::ranges::none_of(words, [](const std::string& word) {
    return word == "-" || word.ends_with("=-") || word == "--no-server" || word == "--no-cache";
  });
}

// As the command would read it; what is wrong with it is for the command to say.
std::optional<std::string> root_word(const std::vector<std::string>& words) {
  constexpr std::string_view flag = "--root";
  std::optional<std::string> root;
  for (std::size_t at = 0; at < words.size(); ++at) {
    if (words[at] == flag && at + 1 < words.size()) root = words[++at];
    if (words[at].starts_with("--root=")) root = words[at].substr(flag.size() + 1);
  }
  return root;
}

LocalRequest request_of(const std::vector<std::string>& words,
                        const cli::CommandEnvironment& around,
                        cli::Reader reader) {
  LocalRequest request{
      .version = NOTESDB_VERSION, .folder = around.folder, .reader = reader, .words = words};
  // Whether there are colours is for the process to say whose terminal it is.
  const bool has_colours =
      cli::wants_colours(cli::colour_choice(words), around.environment, reader.is_terminal);
  request.words.insert(request.words.begin(), has_colours ? "--color=always" : "--color=never");
  for (const std::string& name : deciding_variables()) {
    if (auto value = around.environment(name)) request.variables.emplace_back(name, *value);
  }
  return request;
}

}  // namespace

std::optional<LocalReply> ask_server(const std::vector<std::string>& words,
                                     const cli::CommandEnvironment& around,
                                     cli::Reader reader) {
  if (!may_be_asked(words)) return std::nullopt;
  const auto root = find_workspace_root(root_word(words), around.environment, around.folder);
  const auto place = local_place(root.value, around.environment, PlaceFolder::find);
  if (!place) return std::nullopt;
  const Descriptor socket = connect_to(*place);
  if (!socket) return std::nullopt;
  const auto request = encode(request_of(words, around, reader));
  if (!request || !send_message(socket.get(), *request)) return std::nullopt;
  const auto bytes = receive_message(socket.get(), max_reply_bytes);
  auto reply = bytes ? decode_reply(*bytes) : std::nullopt;
  if (!reply || !reply->answered) return std::nullopt;
  return reply;
}

std::optional<int> answer_from_server(const std::vector<std::string>& words) {
  const auto reply = ask_server(words, cli::own_environment(), cli::reader_of_process());
  if (!reply) return std::nullopt;
  const cli::Console::Write write = cli::writer_for(words);
  for (const auto& [stream, text] : reply->output) {
    if (write(stream, text) || stream == cli::Stream::err) continue;
    cli::write_to(cli::Stream::err, "notesdb: cannot write to standard output\n");
    return static_cast<int>(cli::Exit::failed);
  }
  return reply->exit;
}

}  // namespace notesdb
