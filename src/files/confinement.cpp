#include "files/confinement.h"

#include <algorithm>
#include <cstdint>

#if defined(__linux__) && __has_include(<linux/landlock.h>)
#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "files/descriptor.h"
#endif

namespace notesdb {

#if defined(SYS_landlock_create_ruleset) && defined(LANDLOCK_ACCESS_FS_REFER)

namespace {

using Rights = std::uint64_t;

constexpr Rights truncate_right = Rights{1} << 14U;  // younger than the headers of Debian 12
constexpr int first_with_truncate = 3;

constexpr Rights read_file = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_EXECUTE;
constexpr Rights read_folder = read_file | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr Rights change_file = read_file | LANDLOCK_ACCESS_FS_WRITE_FILE | truncate_right;
constexpr Rights change_folder = read_folder | change_file | LANDLOCK_ACCESS_FS_REMOVE_DIR |
                                 LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_DIR |
                                 LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_REFER;
// What nobody needs is refused everywhere.
constexpr Rights everything = change_folder | LANDLOCK_ACCESS_FS_MAKE_CHAR |
                              LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |
                              LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM;

// As the kernel takes it, with what is younger than the headers of Debian 12; an older kernel is
// given as much of it as it knows.
struct Ruleset {
  Rights files = 0;
  Rights network = 0;
  Rights scopes = 0;
};

constexpr Rights listen_right = Rights{1} << 0U;
constexpr Rights connect_right = Rights{1} << 1U;
constexpr Rights abstract_sockets = Rights{1} << 0U;
constexpr Rights signals = Rights{1} << 1U;
constexpr int port_rule = 2;

struct PortRule {
  Rights allowed = 0;
  std::uint64_t port = 0;
};

Ruleset ruleset_of(int version) {
  Ruleset set;
  set.files = version < first_with_truncate ? everything & ~truncate_right : everything;
  if (version >= first_landlock_with_network) set.network = listen_right | connect_right;
  if (version >= first_landlock_with_scopes) set.scopes = abstract_sockets | signals;
  return set;
}

std::size_t size_of_ruleset(int version) {
  if (version >= first_landlock_with_scopes) return sizeof(Ruleset);
  return version >= first_landlock_with_network ? 2 * sizeof(Rights) : sizeof(Rights);
}

bool allow_port(int rules, const Confines& confines, const Ruleset& set) {
  if (!confines.port || set.network == 0) return true;
  PortRule rule{listen_right, *confines.port};
  return ::syscall(SYS_landlock_add_rule, rules, port_rule, &rule, 0) == 0;
}

bool allow(int rules, const std::string& path, Rights on_file, Rights on_folder) {
  const Descriptor file(::open(path.c_str(), O_PATH | O_CLOEXEC));
  struct stat status {};
  if (!file || ::fstat(file.get(), &status) != 0) return true;
  landlock_path_beneath_attr rule{};
  rule.allowed_access = S_ISDIR(status.st_mode) ? on_folder : on_file;
  rule.parent_fd = file.get();
  return ::syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0;
}

}  // namespace

int landlock_version() {
  constexpr unsigned version_flag = LANDLOCK_CREATE_RULESET_VERSION;
  return std::max(
      0, static_cast<int>(::syscall(SYS_landlock_create_ruleset, nullptr, 0, version_flag)));
}

bool confine_to(const Confines& confines) {
  const int version = landlock_version();
  if (version < least_landlock_version) return false;
  const Ruleset set = ruleset_of(version);
  const Rights known = set.files;
  const Descriptor rules(
      static_cast<int>(::syscall(SYS_landlock_create_ruleset, &set, size_of_ruleset(version), 0)));
  if (!rules) return false;
  const auto all_allowed =
      [&](const std::vector<std::string>& paths, Rights on_file, Rights on_folder) {
        return std::all_of(paths.begin(), paths.end(), [&](const std::string& path) {
          return allow(rules.get(), path, on_file & known, on_folder & known);
        });
      };
  return all_allowed(confines.changeable, change_file, change_folder) &&
         all_allowed(confines.readable, read_file, read_folder) &&
         allow_port(rules.get(), confines, set) && ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::syscall(SYS_landlock_restrict_self, rules.get(), 0) == 0;
}

#else

int landlock_version() {
  return 0;
}

bool confine_to(const Confines& /*confines*/) {
  return false;
}

#endif

}  // namespace notesdb
