// Under ThreadSanitizer: a lock that is waited for until a time of the steady clock, as
// std::timed_mutex does it, goes through a call that the sanitizer of g++ 12 does not know; it then
// takes what the lock guards for a race. So the call becomes one that it knows.
#ifdef __SANITIZE_THREAD__

#include <ctime>

#include <pthread.h>

extern "C" int pthread_mutex_clocklock(pthread_mutex_t* mutex,
                                       clockid_t clock,
                                       const timespec* until) {
  constexpr long second_ns = 1'000'000'000;
  timespec here{};
  timespec there{};
  clock_gettime(clock, &here);
  clock_gettime(CLOCK_REALTIME, &there);
  there.tv_sec += until->tv_sec - here.tv_sec;
  there.tv_nsec += until->tv_nsec - here.tv_nsec;
  while (there.tv_nsec < 0 || there.tv_nsec >= second_ns) {
    there.tv_sec += there.tv_nsec < 0 ? -1 : 1;
    there.tv_nsec += there.tv_nsec < 0 ? second_ns : -second_ns;
  }
  return pthread_mutex_timedlock(mutex, &there);
}

#endif
