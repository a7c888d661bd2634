// Child process: the end of a program that we started, waited for with an eye on the clock.
//
// Linux wakes us at the very moment (pidfd_open); elsewhere we look every few milliseconds.
#pragma once

#include <chrono>

#include <sys/types.h>

namespace notesdb {

// Whether a child has ended, or does so within `patience`. It is left to be waited for.
bool ends_within(pid_t child, std::chrono::milliseconds patience);

}  // namespace notesdb
