"""fmd's own rules and event classes. In the source tree, the common ones and those of each plugin in plugins/list have their own
folders; once installed there is one folder for each kind. The folder of the common ones also has links to those of the plugins, so that
fmd can be started from the source tree with that folder alone."""
import glob
import os

TREE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def _folders(common, own):
    if not os.path.isdir(os.path.join(TREE, common)):
        return [os.path.join(TREE, own)]
    with open(os.path.join(TREE, "plugins", "list"), encoding="ascii") as file:
        plugins = [os.path.join(TREE, "plugins", name, own) for name in file.read().split()]
    return [os.path.join(TREE, common), *filter(os.path.isdir, plugins)]


def rule_folders():
    return _folders("diagnosis-rules", "rules")


def event_folders():
    return _folders("schemas/events", "events")


def options():
    """The options of fmd, fmadm rules and fmadm replay for these folders."""
    return [*event_options(), *(word for folder in rule_folders() for word in ("--rules", folder))]


def event_options():
    return [word for folder in event_folders() for word in ("--events", folder)]


def rule_files():
    return _files(rule_folders(), "*.toml")


def recordings():
    """The recordings of the rules' golden tests."""
    return _files(rule_folders(), "tests/*.jsonl")


def rule_file(name):
    """The path of a rule file: rule_file("zfs.toml")."""
    return _one(rule_folders(), name)


def event_file(name):
    return _one(event_folders(), name)


def recording(name):
    return _one(rule_folders(), os.path.join("tests", name + ".jsonl"))


def _files(folders, pattern):
    paths = (path for folder in folders for path in glob.glob(os.path.join(folder, pattern)))
    return sorted((path for path in paths if not os.path.islink(path)), key=os.path.basename)


def _one(folders, name):
    for folder in folders:
        path = os.path.join(folder, name)
        if os.path.exists(path) and not os.path.islink(path):
            return path
    raise FileNotFoundError(f"{name} is in none of {', '.join(folders)}")
