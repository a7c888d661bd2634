// CommandServer: a resident server's answers to commands of the same user, over a local socket.
//
//   LocalSocket socket = listen_for_commands(root, environment);
//   CommandServer server(workspace, environment, std::move(socket));   // while `mcp` or `serve` runs
//
// The words of a command line come in, and the same code that would have run them in a process of
// its own runs them here, over the workspace that is open already: so the bytes are the same, and
// the price is that of starting a process. What the command could do otherwise it is told to do
// otherwise (LocalReply::answered is false): a writer, another release, other settings or another
// time zone, a question to git's past, words that are wrong.
//
// A command that takes long keeps nobody waiting: there is always one thread more than commands at
// work, up to a bound. A question whose command has left ends.
//
// Where no socket can be made there is no interface, and commands ask the files.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "cli/command.h"
#include "database/workspace.h"
#include "operations/operation.h"
#include "serving/local_message.h"
#include "serving/local_place.h"
#include "serving/own_settings.h"

namespace notesdb {

class CommandServer {
 public:
  // The interface of a server that was started with this environment.
  CommandServer(std::shared_ptr<Workspace> workspace, Environment environment, LocalSocket socket);
  CommandServer(const CommandServer&) = delete;
  CommandServer& operator=(const CommandServer&) = delete;
  ~CommandServer();

  // Whether commands find this interface.
  bool is_open() const { return static_cast<bool>(socket_.listening) && !closed_.load(); }
  // Nobody is let in any more. Answers under way are finished by their threads.
  void close();

  // What is answered to a request; the socket's business left out.
  LocalReply answer(const LocalRequest& request);

 private:
  void serve();
  void serve_one(int socket);
  bool hire();
  void begin_work();
  void end_work();
  const cli::Command& command_of(const Operation& operation);

  std::shared_ptr<Workspace> workspace_;
  Environment environment_;
  LocalSocket socket_;
  OwnSettings settings_;
  std::mutex commands_mutex_;
  std::map<const Operation*, cli::Command> commands_;  // those that were asked for
  std::atomic<bool> closed_ = false;
  std::mutex threads_mutex_;
  std::size_t at_work_ = 0;  // of the threads
  std::vector<std::thread> threads_;
};

}  // namespace notesdb
