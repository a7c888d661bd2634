// The kernel: what only some kernels can do, each after one small function with the nearest portable way.
//
// Every function answers with errno, 0 for success, and leaves nothing half done. ENOTSUP says that
// this system or this file system cannot do it at all, whatever word the kernel had for that.
#pragma once

#include <chrono>

#include <sys/types.h>

#include "files/descriptor.h"

namespace notesdb::kernel {

// Opens `path` below `folder`, which it cannot leave, through no symbolic link and no magic link.
// openat2, or one component at a time. On failure the descriptor is invalid and errno says why:
// ELOOP for a link, EXDEV for a way out.
Descriptor open_beneath(int folder, const char* path, int flags);

// Opens for reading what may be anything: no pipe is waited for, no terminal becomes ours, no link
// is followed. The time of access, which the kernel would note with the first reading of each new
// version, stays as it is wherever the kernel lets us choose: for files of our own.
Descriptor open_to_read(int folder, const char* name);
// The same of a path below `folder`, found as by open_beneath.
Descriptor open_to_read_beneath(int folder, const char* path);

// Swaps two files; both must exist. ENOTSUP where there is no such call.
int exchange(int folder, const char* name, int other_folder, const char* other);

// Renames unless the new name is taken (EEXIST). Where the kernel has no such call: link and
// unlink, which for folders is ENOTSUP.
int rename_new(int folder, const char* name, int new_folder, const char* new_name);

// A file without a name in a folder, gone when closed. Invalid where there is no such thing.
Descriptor unnamed_file(int folder);
// Gives an unnamed file its name, unless it is taken (EEXIST).
int link_unnamed(int file, int folder, const char* name);

// A file in memory, or of the system's folder for temporary ones, that has no name and is gone when
// closed. For reading and writing; invalid where there is room for none.
Descriptor scratch_file();

// A read lease: while it is held, a program that opens the file for writing waits for us, and we
// are told. EAGAIN: somebody has it open for writing now. ENOTSUP: no leases here.
int take_read_lease(int file);
bool holds_read_lease(int file);

// Until file and folder are on the disk.
int sync_file(int file);
int sync_folder(int folder);
// Everything written so far to the file system that `file` lies on.
int sync_file_system(int file);

// Whether the file system of a folder is one whose files change through this kernel only, so that
// events tell of every change and stamps are of this machine's clock.
bool is_local(int folder);

// Gives the calling thread a descriptor table of its own: opening files on two cores is faster.
void own_descriptor_table();

}  // namespace notesdb::kernel

namespace notesdb {

// Whether a child has ended, or does so within `patience`. It is left to be waited for. Linux wakes
// us at the very moment (pidfd_open); elsewhere we look every few milliseconds.
bool ends_within(pid_t child, std::chrono::milliseconds patience);

}  // namespace notesdb
