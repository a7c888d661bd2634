"""Real file systems in files that lie in memory, for tests that mount, cut off, or write a lot.

What is broken and raced is the same there as on any ext4, xfs or btrfs, but a sync takes a sixth of a millisecond where a
slow disk takes twenty, so that in the same time a hundred times as much is tried. They are mounted for this process and its
children alone, so that nothing of them is left when these end, at worst an empty folder. All of it needs root.
"""

import atexit
import ctypes
import fcntl
import os
import shutil
import struct
import subprocess
import tempfile
import time

MEMORY = "/dev/shm"
SIZES = {"ext4": 48, "xfs": 320, "btrfs": 160}  # MiB, the least that mkfs takes
ROOM = 4096  # MiB, for workspaces; what is not written takes no memory

CLONE_NEWNS = 0x20000
# FS_IOC_SHUTDOWN of Linux, known to ext4 and xfs.
SHUTDOWN = 0x8004587D
WITHOUT_FLUSHING_THE_LOG = 2


def quiet(*words):
    return subprocess.run(words, check=False, capture_output=True).returncode == 0


def keep_mounts_to_ourselves():
    """Whether what is mounted from now on is seen by this process and its children alone."""
    return ctypes.CDLL(None, use_errno=True).unshare(CLONE_NEWNS) == 0 and quiet("mount", "--make-rprivate", "/")


class Volume:
    """A file system in a file, which lies in memory or in the folder given; OSError where it cannot be made."""

    def __init__(self, kind, mebibytes=None, folder=None):
        self.kind = kind
        self.below = None
        self.base = tempfile.mkdtemp(prefix="notesdb-volume-", dir=folder or (MEMORY if os.path.isdir(MEMORY) else None))
        self.image, self.folder = self.base + "/image", self.base + "/mounted"
        os.chmod(self.base, 0o755)  # for tests that run as another user
        os.mkdir(self.folder)
        with open(self.image, "wb") as file:
            file.truncate((mebibytes or SIZES[kind]) << 20)
        if not shutil.which("mkfs." + kind) or not quiet("mkfs." + kind, "-q", self.image) or not self.mount():
            self.remove()
            raise OSError("cannot make or mount " + kind)

    def mount(self):
        return quiet("mount", "-o", "loop", self.image, self.folder)

    def forget_name(self):
        """Its file is gone when the last process that sees it mounted is."""
        os.unlink(self.image)

    def cut(self):
        """Everything that has not reached the disk is lost."""
        if self.kind == "btrfs":
            # Of one moment, as a clone is; a copy takes so long that its parts are of several.
            subprocess.run(["cp", "--reflink=always", self.image, self.image + ".cut"], check=True, capture_output=True)
            return lambda: os.replace(self.image + ".cut", self.image)
        folder = os.open(self.folder, os.O_RDONLY)
        try:
            fcntl.ioctl(folder, SHUTDOWN, struct.pack("I", WITHOUT_FLUSHING_THE_LOG))
        finally:
            os.close(folder)
        return lambda: None

    def unmount(self):
        for _ in range(50):
            if quiet("umount", self.folder):
                return
            time.sleep(0.1)
        quiet("umount", "-l", self.folder)

    def remove(self):
        quiet("umount", "-l", self.folder)
        shutil.rmtree(self.base, ignore_errors=True)
        if self.below:
            self.below.remove()


def to_be_cut(kind):
    """A volume that cut() works on: btrfs has no call for that, so its file lies on an xfs, where it can be cloned."""
    if kind != "btrfs":
        return Volume(kind)
    below = Volume("xfs", ROOM)
    try:
        volume = Volume(kind, folder=below.folder)
    except OSError:
        below.remove()
        raise
    volume.below = below
    return volume


def quick_folder():
    """A folder on an ext4, with its journal, for the workspaces of a test; None, the system's, where there can be none."""
    if os.geteuid() != 0 or not keep_mounts_to_ourselves():
        return None
    try:
        volume = Volume("ext4", ROOM)
    except OSError:
        return None
    volume.forget_name()
    atexit.register(volume.remove)
    return volume.folder
