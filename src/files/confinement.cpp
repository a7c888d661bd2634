#include "files/confinement.h"

#ifdef __linux__
#include <algorithm>

#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace notesdb {

int landlock_version() {
#ifdef SYS_landlock_create_ruleset
  constexpr unsigned version_flag = 1;
  return std::max(
      0, static_cast<int>(::syscall(SYS_landlock_create_ruleset, nullptr, 0, version_flag)));
#else
  return 0;
#endif
}

}  // namespace notesdb
