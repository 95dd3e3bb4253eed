# SPDX-License-Identifier: Apache-2.0
"""What may be on a disk after a power cut: a program's system calls, as strace records them, are done
again on a model of a file system, which keeps apart what was synced and what was only written.

Of a file's writes that were not synced any may be lost, in any order, each as a whole or in part, by
sectors. Of the changes of a folder (new, renamed and removed names) that were not synced the last ones
may be lost: file systems keep their order. Syncing a file says nothing of its name."""
import re
import subprocess

SECTOR = 512
CALLS = ("openat,write,pwrite64,ftruncate,fsync,fdatasync,close,mkdir,mkdirat,unlink,unlinkat,rename,"
         "renameat,renameat2,rmdir")
TEXT = re.compile(r'"((?:\\x[0-9a-f]{2})*)"')
LINE = re.compile(r"(\w+)\((.*)\) += (-?\d+)")


def known_calls():
    """strace takes only names that the machine has: arm64 has no unlink or mkdir."""
    return ",".join(call for call in CALLS.split(",") if subprocess.run(
        ["strace", "-o", "/dev/null", "-e", f"trace={call}", "true"], check=False,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0)


class Node:
    """A file or a folder: as it is (`now`), as it is on the disk (`stored`), and what came between."""
    def __init__(self, is_folder):
        self.is_folder = is_folder
        self.now = {} if is_folder else b""
        self.stored = {} if is_folder else b""
        self.pending = []

    def change(self, function):
        self.now = function(self.now)
        self.pending.append(function)

    def sync(self):
        self.stored, self.pending = self.now, []

    def after_a_cut(self, survivors):
        value = self.stored
        for function in survivors(self):
            value = function(value)
        return value


def written(offset, piece):
    def write(old):
        old = old.ljust(offset, b"\0")
        return old[:offset] + piece + old[offset + len(piece):]
    write.parts = [(offset + at, piece[at:at + SECTOR]) for at in range(0, len(piece), SECTOR)]
    return write


def resized(size):
    return lambda old: old[:size].ljust(size, b"\0")


def named(name, node):
    return lambda old: {**old, name: node}


def removed(name):
    return lambda old: {key: node for key, node in old.items() if key != name}


def renamed(old_name, new_name):
    def rename(old):
        rest = {key: node for key, node in old.items() if key != old_name}
        return {**rest, new_name: old[old_name]}
    return rename


class Disk:
    """Below a folder, which is empty in the beginning. `acknowledged` is what was printed."""
    def __init__(self, root):
        self.prefix = str(root)
        self.root = Node(True)
        self.open = {}
        self.acknowledged = b""

    def find(self, path):
        """The folder and the name in it; None for what lies elsewhere."""
        if path != self.prefix and not path.startswith(self.prefix + "/"):
            return None, ""
        folder, names = self.root, [part for part in path[len(self.prefix):].split("/") if part]
        for name in names[:-1]:
            folder = folder.now[name]
        return folder, names[-1] if names else ""

    def do(self, call, arguments, result):
        texts = [bytes.fromhex(text.replace("\\x", "")) for text in TEXT.findall(arguments)]
        first = arguments.split(",")[0]
        if call in ("write", "pwrite64", "ftruncate", "fsync", "fdatasync", "close"):
            node, numbers = self.open.get(int(first)), arguments.rsplit(",", 2)
            if call == "close":
                self.open.pop(int(first), None)
            elif call == "write" and first == "1":
                self.acknowledged += texts[0][:result]
            elif node is None:
                return
            elif call in ("fsync", "fdatasync"):
                node.sync()
            elif call == "ftruncate":
                node.change(resized(int(numbers[-1])))
            else:
                at = int(numbers[-1]) if call == "pwrite64" else len(node.now)
                node.change(written(at, texts[0][:result]))
            return
        paths = [self.find(text.decode()) for text in texts]
        (folder, name), (_, last) = paths[0], paths[-1]
        if folder is None:
            return
        if call == "openat":
            if name and name not in folder.now:
                folder.change(named(name, Node(False)))
            node = folder.now[name] if name else folder
            if "O_TRUNC" in arguments and node.now:
                node.change(resized(0))
            self.open[result] = node
        elif call.startswith("mkdir"):
            folder.change(named(name, Node(True)))
        elif call.startswith("rename"):
            assert paths[0][0] is paths[-1][0], "from one folder to another"
            folder.change(renamed(name, last))
        else:
            folder.change(removed(name))

    def lay_out(self, path, survivors):
        """What is left after a power cut now, where survivors(node) of its pending changes happened."""
        def write(node, path):
            content = node.after_a_cut(survivors)
            if not node.is_folder:
                path.write_bytes(content)
                return
            path.mkdir(exist_ok=True)
            for name, child in content.items():
                write(child, path / name)
        write(self.root, path)


def nothing(_):
    return []


def names_only(node):
    return node.pending if node.is_folder else []


def by(chance):
    """Any of them."""
    def survivors(node):
        if node.is_folder:
            return node.pending[:chance.randint(0, len(node.pending))]
        kept = []
        for change in node.pending:
            fate = chance.random()
            if fate < 0.3:
                continue
            if fate < 0.6 and hasattr(change, "parts"):
                kept += [written(*part) for part in change.parts if chance.random() < 0.5]
            else:
                kept.append(change)
        return kept
    return survivors


def recorded(root, trace, *command, **options):
    """Runs it, and yields the disk after each call that changed it; at the end once more."""
    done = subprocess.run(["strace", "-o", trace, "-xx", "-s", str(1 << 24), "-e",
                           "trace=" + known_calls(), *map(str, command)], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False, **options)
    assert done.returncode == 0, done.stderr
    disk = Disk(root)
    for line in trace.read_text(encoding="ascii").splitlines():
        call = LINE.match(line)
        if call and int(call[3]) >= 0:
            disk.do(call[1], call[2], int(call[3]))
            if call[1] not in ("close", "openat") or "O_CREAT" in call[2]:
                yield disk
    yield disk
