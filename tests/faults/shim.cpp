// What a disk and a memory that run out, and odd clocks, do to a program, loaded into it before the
// C library; and how much memory it has asked for and holds. In the environment:
//
//   NOTESDB_SHIM=memory:N           the Nth request for memory is refused
//   NOTESDB_SHIM=memory:N+          and all after it
//   NOTESDB_SHIM=memory:N=K         from the Nth on, K requests long, no more is held than before
//   it NOTESDB_SHIM=short              every write to a file stops half-way, with what was written
//                                   really there
//   NOTESDB_SHIM_COUNT=FILE         two numbers of 8 bytes that are there however it ends:
//                                   requests for memory so far, and bytes that it holds now
//   NOTESDB_SHIM_CLOCK=N            the time of day is N seconds after the epoch, and stays so
//   NOTESDB_SHIM_CLOCK=backwards    it runs backwards, by a second each time it is asked for
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include <fcntl.h>
#include <malloc.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void __libc_free(void*);
}

namespace {

struct Count {
  std::atomic<std::uint64_t> requests;
  std::atomic<std::uint64_t> held;
};

struct Plan {
  std::uint64_t refused = 0;  // the first; 0: none
  std::uint64_t last = 0;
  bool is_limit = false;
  bool halves = false;
  Count* count = nullptr;
};

Count own_count;

Count* shared_count() {
  const char* path = std::getenv("NOTESDB_SHIM_COUNT");
  if (path == nullptr) return &own_count;
  const int file = ::open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0 || ::ftruncate(file, sizeof(Count)) != 0) return &own_count;
  void* memory = ::mmap(nullptr, sizeof(Count), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  ::close(file);
  return memory == MAP_FAILED ? &own_count : static_cast<Count*>(memory);
}

Plan read_plan() {
  Plan plan;
  plan.count = shared_count();
  const char* text = std::getenv("NOTESDB_SHIM");
  if (text == nullptr) return plan;
  plan.halves = std::strcmp(text, "short") == 0;
  if (std::strncmp(text, "memory:", 7) == 0) {
    char* end = nullptr;
    plan.refused = std::strtoull(text + 7, &end, 10);
    plan.is_limit = *end == '=';
    plan.last = plan.refused;
    if (*end == '+') plan.last = UINT64_MAX;
    if (plan.is_limit) plan.last = plan.refused + std::strtoull(end + 1, nullptr, 10);
  }
  return plan;
}

const Plan& plan() {
  static const Plan read = read_plan();
  return read;
}

bool refuse(std::size_t size, std::size_t instead_of = 0) {
  static std::atomic<std::uint64_t> max_held{0};
  const Plan& now = plan();
  const std::uint64_t number = ++now.count->requests;
  if (now.is_limit && number == now.refused) max_held = now.count->held.load();
  if (now.refused == 0 || number < now.refused || number > now.last) return false;
  if (now.is_limit && now.count->held + size <= max_held + instead_of) return false;
  errno = ENOMEM;
  return true;
}

void* keep(void* memory) {
  plan().count->held += ::malloc_usable_size(memory);  // of none: 0
  return memory;
}

void let_go(void* memory) {
  plan().count->held -= ::malloc_usable_size(memory);
}

// The time of day, as it is wanted; false if it is as it is.
bool odd_time(timespec* time) {
  static const char* const wanted = std::getenv("NOTESDB_SHIM_CLOCK");
  static std::atomic<time_t> next{::syscall(SYS_time, nullptr)};
  if (wanted == nullptr) return false;
  const bool is_backwards = std::strcmp(wanted, "backwards") == 0;
  *time = {is_backwards ? next-- : static_cast<time_t>(std::atoll(wanted)), 0};
  return true;
}

bool is_file(int file) {
  struct stat status {};
  return ::fstat(file, &status) == 0 && S_ISREG(status.st_mode);
}

}  // namespace

extern "C" {

void* malloc(std::size_t size) {
  return refuse(size) ? nullptr : keep(__libc_malloc(size));
}

void* calloc(std::size_t count, std::size_t size) {
  return refuse(count * size) ? nullptr : keep(__libc_calloc(count, size));
}

void* realloc(void* memory, std::size_t size) {
  const std::size_t before = ::malloc_usable_size(memory);
  if (refuse(size, before)) return nullptr;
  void* moved = __libc_realloc(memory, size);
  if (moved != nullptr || size == 0) plan().count->held -= before;
  return keep(moved);
}

void* aligned_alloc(std::size_t alignment, std::size_t size) {
  return refuse(size) ? nullptr : keep(__libc_memalign(alignment, size));
}

int posix_memalign(void** memory, std::size_t alignment, std::size_t size) {
  *memory = aligned_alloc(alignment, size);
  return *memory == nullptr ? ENOMEM : 0;
}

void free(void* memory) {
  let_go(memory);
  __libc_free(memory);
}

int clock_gettime(clockid_t clock, timespec* time) {
  const bool is_time_of_day = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE;
  if (is_time_of_day && odd_time(time)) return 0;
  return static_cast<int>(::syscall(SYS_clock_gettime, clock, time));
}

time_t time(time_t* into) {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  if (into != nullptr) *into = now.tv_sec;
  return now.tv_sec;
}

ssize_t write(int file, const void* bytes, std::size_t length) {
  const std::size_t most = plan().halves && is_file(file) ? (length + 1) / 2 : length;
  return ::syscall(SYS_write, file, bytes, most);
}

}  // extern "C"
