"""Creates many files in the folder of a simulated host quickly: a big one has some hundred thousand."""
import os


class Tree:
    """Paths are those of the simulated host ("sys/block/sda"), without a leading slash."""

    def __init__(self, folder):
        self.folder = os.path.abspath(folder)
        self._made = set()

    def path(self, path):
        return os.path.join(self.folder, path)

    def folder_at(self, path):
        if path not in self._made:
            os.makedirs(os.path.join(self.folder, path), exist_ok=True)
            self._made.add(path)
        return path

    def put(self, folder, files):
        """Creates files in one folder: {name: content}; a text gets a final newline, as in sysfs."""
        base = os.path.join(self.folder, self.folder_at(folder))
        for name, content in files.items():
            if "/" in name:
                self.folder_at(f"{folder}/{name.rpartition('/')[0]}")
            handle = os.open(f"{base}/{name}", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
            os.write(handle, content if isinstance(content, bytes) else f"{content}\n".encode())
            os.close(handle)

    def link(self, target, path):
        """Creates a relative link at path to target."""
        folder = self.folder_at(os.path.dirname(path))
        os.symlink(os.path.relpath(target, folder), os.path.join(self.folder, path))

    def in_class(self, name, device):
        """Adds the device's entry in /sys/class/NAME, whose target is in the device's own folder: DEVICE/NAME/DEVICE'S NAME."""
        own = f"{device}/{name}/{os.path.basename(device)}"
        self.folder_at(own)
        self.link(device, f"{own}/device")
        self.link(own, f"sys/class/{name}/{os.path.basename(device)}")
        return own
