#include "serving/install.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

#include <boost/filesystem.hpp>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/output.h"
#include "serving/host_settings.h"

namespace notesdb {

namespace {

namespace fs = boost::filesystem;

std::string own_path() {
  std::array<char, 4096> path{};
  ssize_t length = ::readlink("/proc/self/exe", path.data(), path.size());
  if (length <= 0) return "notesdb";
  return {path.data(), static_cast<std::size_t>(length)};
}

Error cannot(const std::string& what, const std::string& file) {
  return {ErrorCode::io_error, "cannot " + what + " " + file + ": " + std::strerror(errno)};
}

Result<std::string> read_settings_file(const fs::path& path, const std::string& name) {
  boost::system::error_code failure;
  if (!fs::exists(path, failure)) return std::string();
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) return cannot("read", name);
  return text.str();
}

// A file that its owner alone can read: settings hold passwords of other servers.
bool write_new_file(const fs::path& path, const std::string& text) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (file < 0) return false;
  const bool written = ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  const bool kept = written && ::fsync(file) == 0;
  return ::close(file) == 0 && kept;
}

// Beside it first, then over it, so that a host never reads half a file. A link stays one: what it
// leads to is written.
Result<void> write_settings_file(const fs::path& link,
                                 const std::string& text,
                                 const std::string& name) {
  boost::system::error_code failure;
  fs::path path = fs::weakly_canonical(link, failure);
  if (failure) return Error{ErrorCode::io_error, "cannot find what " + name + " leads to"};
  fs::create_directories(path.parent_path(), failure);
  const bool existed = fs::exists(path, failure);
  if (existed) {
    fs::copy_file(path, link.string() + ".backup", fs::copy_options::overwrite_existing, failure);
    if (failure) return Error{ErrorCode::io_error, "cannot keep a copy of " + name};
  }
  fs::path beside = path.string() + ".new";
  fs::remove(beside, failure);
  if (!write_new_file(beside, text)) return cannot("write", name);
  if (existed) fs::permissions(beside, fs::status(path).permissions(), failure);
  fs::rename(beside, path, failure);
  if (failure) return Error{ErrorCode::io_error, "cannot replace " + name};
  return {};
}

// What a host's settings are to become, from what they are.
using Edit = Result<std::string> (*)(const cli::Session&, const Host&, const std::string& before);

std::string entry_name(const cli::Session& session) {
  return session.words.last("name").value_or("notesdb");
}

// The flags of the server that install was given are those of the command that is written.
Result<std::string> with_entry(const cli::Session& session,
                               const Host& host,
                               const std::string& before) {
  const Result<Settings> settings = session.settings();
  if (!settings) return settings.error();
  boost::system::error_code failure;
  const fs::path root = fs::canonical(settings->root.value, failure);
  if (failure || !fs::is_directory(root, failure)) {
    return Error{ErrorCode::invalid_argument,
                 "the workspace " + settings->root.value + " is not a folder; pass --root DIR",
                 Map{}};
  }
  ServerEntry entry{entry_name(session), own_path(), {"mcp", "--root", root.string()}};
  if (settings->read_only.value) entry.arguments.emplace_back("--read-only");
  for (const std::string flag : {"plain-errors", "unconfined"})
    if (session.words.has(flag) || (flag == "plain-errors" && host.hides_errors))
      entry.arguments.push_back("--" + flag);
  for (const char* flag : {"max-bytes", "confirm", "tools", "exclude-tools"}) {
    for (const std::string& value : session.words.all(flag)) {
      entry.arguments.push_back(std::string("--") + flag);
      entry.arguments.push_back(value);
    }
  }
  if (!host.max_bytes.empty() && !session.words.has("max-bytes"))
    entry.arguments.insert(entry.arguments.end(), {"--max-bytes", host.max_bytes});
  return with_server_entry(host, before, entry);
}

Result<std::string> without_entry(const cli::Session& session,
                                  const Host& host,
                                  const std::string& before) {
  return without_server_entry(host, before, entry_name(session));
}

Result<Scope> scope_of(const cli::Session& session) {
  const std::string scope = session.words.last("scope").value_or("user");
  if (scope == "user") return Scope::user;
  if (scope == "project") return Scope::project;
  return unknown_name(ErrorCode::invalid_argument, "scope", scope, {"user", "project"});
}

Result<void> edit_settings(const cli::Session& session, const Host& host, Edit edit) {
  const Result<Scope> scope = scope_of(session);
  if (!scope) return scope.error();
  const Result<SettingsPlace> place =
      settings_place(host, *scope, session.around.folder, session.around.environment);
  if (!place) return place.error();
  const Result<std::string> before = read_settings_file(place->path, place->shown);
  if (!before) return before.error();
  const Result<std::string> after = edit(session, host, *before);
  if (!after) return after.error();
  if (session.words.has("print")) {
    session.console.out(*after);
    session.console.err("would write " + place->shown);
    return {};
  }
  if (*after == *before) {
    session.console.out("no change: " + place->shown + " already says so\n");
    return {};
  }
  boost::system::error_code failure;
  const bool existed = fs::exists(place->path, failure);
  const Result<void> written = write_settings_file(place->path, *after, place->shown);
  if (!written) return written.error();
  session.console.out(std::string(existed ? "changed " : "created ") + place->shown +
                      ": the server '" + entry_name(session) + "'\n");
  if (existed) session.console.out("its earlier content is in " + place->shown + ".backup\n");
  session.console.out("restart " + host.id + " to apply it\n");
  return {};
}

cli::Exit edit_host(const cli::Session& session, Edit edit) {
  const auto id = session.words.last("HOST");
  if (!id) {
    const Error error{ErrorCode::invalid_argument,
                      "missing argument HOST; `notesdb mcp install --list` shows the hosts",
                      Map{}};
    return report(session, error, cli::Exit::wrong_usage);
  }
  const Result<Host> host = find_host(*id);
  if (!host) return report(session, host.error(), cli::Exit::wrong_usage);
  const Result<void> done = edit_settings(session, *host, edit);
  return done ? cli::Exit::done : report(session, done.error(), cli::Exit::failed);
}

// One line a host and scope: the file, and which workspaces it starts notesdb on.
std::string state_of(const Host& host, const SettingsPlace& place) {
  boost::system::error_code failure;
  if (!fs::exists(place.path, failure)) return "no such file";
  const Result<std::string> text = read_settings_file(place.path, place.shown);
  if (!text) return text.error().message;
  const auto entries = notesdb_entries(host, *text);
  if (!entries) return entries.error().message;
  std::string state;
  for (const FoundEntry& entry : *entries) {
    state +=
        (state.empty() ? "" : "; ") + entry.name + (entry.root.empty() ? "" : " on " + entry.root);
  }
  return state.empty() ? "not installed" : state;
}

cli::Exit list_hosts(const cli::Session& session) {
  for (const Host& host : hosts()) {
    for (const Scope scope : {Scope::user, Scope::project}) {
      if (scope == Scope::project && host.project_file.empty()) continue;
      const Result<SettingsPlace> place =
          settings_place(host, scope, session.around.folder, session.around.environment);
      if (!place) return report(session, place.error(), cli::Exit::failed);
      std::string line = host.id;
      line.resize(16, ' ');
      line += scope == Scope::user ? "user     " : "project  ";
      std::string shown = place->shown;
      if (shown.size() < 42) shown.resize(42, ' ');
      session.console.out(line + shown + "  " + state_of(host, *place) + "\n");
    }
  }
  return cli::Exit::done;
}

}  // namespace

cli::Exit install(const cli::Session& session) {
  return session.words.has("list") ? list_hosts(session) : edit_host(session, with_entry);
}

cli::Exit uninstall(const cli::Session& session) {
  return edit_host(session, without_entry);
}

}  // namespace notesdb
