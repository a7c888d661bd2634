#include "exchange/output_file.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/descriptor.h"
#include "files/names.h"
#include "index/database_folder.h"

namespace notesdb {
namespace {

constexpr mode_t any_mode = 0666;  // the umask says what of it

Error failed(const std::string& what, const std::string& name, int error) {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): commands run on one thread.
  return {ErrorCode::io_error, what + " " + name + ": " + std::strerror(error), Map{}};
}

Error refused(const std::string& message) {
  return {ErrorCode::path_not_allowed, message, Map{}};
}

std::string real_path(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr),
                                                         &std::free);
  return real ? std::string(real.get()) : std::string();
}

// The path below the workspace's root, "" where it is outside of it.
std::string path_in_workspace(const Workspace& workspace,
                              const std::string& folder,
                              const std::string& name) {
  const std::string root = real_path(workspace.settings().root.value);
  if (root.empty()) return "";
  if (folder == root) return name;
  const std::string prefix = root == "/" ? root : root + "/";
  return folder.starts_with(prefix) ? folder.substr(prefix.size()) + "/" + name : "";
}

// A file that a database would take for one of its own has no business there.
Result<void> check_place(Workspace& workspace, const std::string& path) {
  if (path.empty()) return {};
  if (path.starts_with(".notesdb/")) return refused("'" + path + "' is notesdb's own folder");
  const std::string_view name = name_in(path);
  if (name == "_schema.md" || name == "_schema.yaml" || path == "notesdb.yaml") {
    return refused("'" + path + "' would be a schema or the settings; choose another file name");
  }
  for (std::string_view folder = folder_of(path);; folder = folder_of(folder)) {
    if (DatabaseFolder::find_schema_file(workspace.files(), folder)) {
      const auto database = DatabaseFolder::read(workspace.files(), std::string(folder));
      const std::string_view below =
          folder == "." ? std::string_view(path) : std::string_view(path).substr(folder.size() + 1);
      const bool is_row = database && (*database)->names().role_of(below) != FileRole::other;
      if (!is_row) return {};
      return refused("'" + path + "' would be a row of the database '" + std::string(folder) +
                     "'; choose a place outside of it");
    }
    if (folder == ".") return {};
  }
}

// The folder and the name of a file that may not be there yet.
struct Target {
  std::string folder;
  std::string name;
};

Result<Target> resolve(const std::string& path) {
  // A link stands for what it names; one that leads nowhere is replaced.
  const std::string real = real_path(path);
  const std::string& used = real.empty() ? path : real;
  const std::size_t slash = used.rfind('/');
  const std::string above = slash == std::string::npos ? "." : used.substr(0, slash);
  std::string folder = real_path(above.empty() ? "/" : above);
  std::string name = used.substr(slash == std::string::npos ? 0 : slash + 1);
  if (name.empty() || name == "." || name == "..") return refused("'" + path + "' names no file");
  if (folder.empty()) return failed("the folder of", "'" + path + "'", errno);
  return Target{std::move(folder), std::move(name)};
}

// Removes what was not put in its place.
class Unfinished {
 public:
  explicit Unfinished(std::string path) : path_(std::move(path)) {}
  ~Unfinished() { ::unlink(path_.c_str()); }
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;

 private:
  std::string path_;
};

int sync_path(const std::string& path, int flags) {
  const Descriptor file(::open(path.c_str(), flags | O_CLOEXEC));
  return file && ::fsync(file.get()) == 0 ? 0 : errno;
}

}  // namespace

Result<OutputFile> OutputFile::plan(const std::string& path,
                                    Overwrite overwrite,
                                    Workspace& workspace) {
  const auto target = resolve(path);
  if (!target) return target.error();
  OutputFile file(target->folder, target->name, overwrite);
  const std::string inside = path_in_workspace(workspace, target->folder, target->name);
  if (auto allowed = check_place(workspace, inside); !allowed) return allowed.error();
  struct stat found {};
  if (::lstat(file.path().c_str(), &found) != 0) return file;
  if (!S_ISREG(found.st_mode) && !S_ISLNK(found.st_mode)) {
    return refused("'" + path + "' is no regular file");
  }
  if (overwrite == Overwrite::no) {
    return Error{
        ErrorCode::already_exists, "'" + path + "' exists already; --force replaces it", Map{}};
  }
  return file;
}

Result<void> OutputFile::write(const Make& make) const {
  std::string made = folder_ + "/.notesdb-export-XXXXXX";
  const Descriptor fresh(::mkostemp(made.data(), O_CLOEXEC));
  if (!fresh) return failed("cannot write in the folder of", "'" + name_ + "'", errno);
  const Unfinished unfinished(made);
  const mode_t mask = ::umask(0);
  ::umask(mask);
  struct stat before {};
  const bool replaces = ::stat(path().c_str(), &before) == 0;
  ::fchmod(fresh.get(), replaces ? before.st_mode & 07777U : any_mode & ~mask);
  if (auto done = make(made); !done) return done;
  if (const int error = sync_path(made, O_RDONLY)) return failed("cannot write", name_, error);
  return put(made);
}

Result<void> OutputFile::write(std::string_view bytes) const {
  return write([&](const std::string& made) -> Result<void> {
    const Descriptor file(::open(made.c_str(), O_WRONLY | O_CLOEXEC));
    const int error = file ? write_whole(file.get(), bytes) : errno;
    if (error != 0) return failed("cannot write", name_, error);
    return {};
  });
}

// link() leaves alone what has the name by now, on every file system that has links.
Result<void> OutputFile::put(const std::string& made) const {
  const std::string to = path();
  if (overwrite_ == Overwrite::yes) {
    if (::rename(made.c_str(), to.c_str()) != 0) return failed("cannot write", name_, errno);
  } else if (::renameat2(AT_FDCWD, made.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) != 0) {
    const bool is_unknown = errno == EINVAL || errno == ENOSYS;
    if (!is_unknown || ::link(made.c_str(), to.c_str()) != 0) {
      return failed("cannot write", name_, errno);
    }
  }
  sync_path(folder_, O_RDONLY | O_DIRECTORY);
  return {};
}

}  // namespace notesdb
