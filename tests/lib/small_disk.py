"""A private tmpfs that can be filled to the last byte or made read-only. Needs root or a user namespace."""
import os
import subprocess
import sys


def in_own_mounts(*more):
    """Call first: restarts the script in its own mount namespace. more: options of unshare if a user namespace is needed too."""
    if os.environ.get("FMD_TEST_MOUNTS") == "own":
        return
    os.environ["FMD_TEST_MOUNTS"] = "own"
    as_root = [] if os.geteuid() == 0 else ["--user", "--map-root-user", *more]
    os.execvp("unshare", ["unshare", "--mount", "--propagation", "unchanged", *as_root, sys.executable, *sys.argv])


def _alone(folder):
    """Makes mounts there private. Not for all of '/': in a chroot that is not a mount."""
    while not os.path.ismount(folder):
        folder = os.path.dirname(folder)
    subprocess.run(["mount", "--make-private", folder], check=folder != "/", stderr=subprocess.DEVNULL)


class SmallDisk:
    def __init__(self, folder, size="32m"):
        self.folder, self.ballast = folder, os.path.join(folder, "ballast")
        _alone(folder)
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size},mode=755", "none", folder], check=True)

    def unmount(self):
        """Does nothing if it is not mounted."""
        if os.path.ismount(self.folder):
            subprocess.run(["umount", "-l", self.folder], check=True)

    def read_only(self, yes=True):
        subprocess.run(["mount", "-o", "remount," + ("ro" if yes else "rw"), self.folder], check=True)

    def fill(self):
        with open(self.ballast, "ab", buffering=0) as file:
            for piece in (1 << 20, 4096, 1):
                try:
                    while True:
                        file.write(b"x" * piece)
                except OSError:
                    pass

    def empty(self):
        os.unlink(self.ballast)
