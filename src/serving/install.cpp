#include "serving/install.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/output.h"
#include "serving/host_settings.h"

namespace notesdb {

namespace {

namespace fs = std::filesystem;

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
  if (!fs::exists(path)) return std::string();
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
  std::error_code failure;
  fs::path path = fs::weakly_canonical(link, failure);
  if (failure) return Error{ErrorCode::io_error, "cannot find what " + name + " leads to"};
  fs::create_directories(path.parent_path(), failure);
  bool existed = fs::exists(path);
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

Result<std::string> new_settings(const cli::Session& session,
                                 const Host& host,
                                 const fs::path& at) {
  Result<Settings> settings = session.settings();
  if (!settings) return settings.error();
  ServerEntry entry;
  entry.command = own_path();
  entry.arguments = {"mcp", "--root", settings->root.value};
  if (settings->read_only.value) entry.arguments.emplace_back("--read-only");
  Result<std::string> before = read_settings_file(at, host.file);
  if (!before) return before.error();
  return with_server_entry(host, *before, entry);
}

}  // namespace

cli::Exit install(const cli::Session& session, const std::string& host_id) {
  Result<Host> host = find_host(host_id);
  if (!host) return report(session, host.error(), cli::Exit::wrong_usage);
  const char* home = std::getenv("HOME");
  if (home == nullptr || *home == '\0') {
    Error error{ErrorCode::invalid_argument, "HOME is not set, so there is no place to write to"};
    return report(session, error, cli::Exit::failed);
  }
  fs::path path = fs::path(home) / host->file;
  Result<std::string> text = new_settings(session, *host, path);
  if (!text) return report(session, text.error(), cli::Exit::failed);
  if (session.words.has("print")) {
    std::fputs(text->c_str(), stdout);
    return cli::Exit::done;
  }
  bool existed = fs::exists(path);
  Result<void> written = write_settings_file(path, *text, host->file);
  if (!written) return report(session, written.error(), cli::Exit::failed);
  std::printf("%s ~/%s: the server 'notesdb'\n", existed ? "changed" : "made", host->file.c_str());
  if (existed) std::printf("what it was is in ~/%s.backup\n", host->file.c_str());
  std::printf("restart %s to see its tools\n", host->id.c_str());
  return cli::Exit::done;
}

}  // namespace notesdb
