"""A disk that syncs in no time: an ext4, with its journal, in a file that lies in memory.

What the tests break and race is the same there as on any ext4, but a sync takes a sixth of a millisecond where a slow disk
takes twenty, so that in the same time a hundred times as much is tried. It is mounted for this process and its children
alone and its file has no name any more, so that nothing is left of it when they end, however they end. It needs root; where
it cannot be had, the system's folder for temporary files is as good, and slower.
"""

import atexit
import contextlib
import ctypes
import os
import shutil
import subprocess
import tempfile

MEMORY = "/dev/shm"
SIZE = 4 << 30  # at most; what is not written takes no memory
CLONE_NEWNS = 0x20000


def quiet(*words):
    return subprocess.run(words, check=False, capture_output=True).returncode == 0


def is_mounted(image, folder):
    """Mounts it where no other process sees it."""
    if ctypes.CDLL(None, use_errno=True).unshare(CLONE_NEWNS) != 0:
        return False
    return quiet("mount", "--make-rprivate", "/") and quiet("mount", "-o", "loop", image, folder)


def forget(folder):
    quiet("umount", "-l", folder)
    with contextlib.suppress(OSError):
        os.rmdir(folder)


def quick_folder():
    """A folder on such a disk; None where there can be none."""
    if os.geteuid() != 0 or not os.path.isdir(MEMORY) or not shutil.which("mkfs.ext4"):
        return None
    folder = tempfile.mkdtemp(prefix="notesdb-disk-")
    with tempfile.NamedTemporaryFile(prefix="notesdb-disk-", dir=MEMORY) as image:
        image.truncate(SIZE)
        if quiet("mkfs.ext4", "-q", image.name) and is_mounted(image.name, folder):
            atexit.register(forget, folder)
            return folder
    os.rmdir(folder)
    return None
