"""Protects files by the command: they open and lock with the keychain, and for their group alone.

usage: file_command_test.py FOLDER-OF-PROGRAMS [TEST...]
"""

import datetime
import errno
import hashlib
import json
import os
import shutil
import struct
import subprocess

import protected_file
from file_parts import FilesTest, main
from patience import eventually
from read_vault import Vault

MAGIC = bytes.fromhex("894B4346494C450A")
CONTENT = os.urandom(200_000)
LOCKED = -25308 & 0xFF


class Files(FilesTest):
    def plain(self, name, content=CONTENT, mode=0o640):
        return super().plain(name, content, mode)

    def test_a_file_is_encrypted_in_its_place_and_back(self):
        for letter in "abcd":
            path = self.plain(letter)
            self.file("protect", "-c", letter, path)
            sealed = self.content(path)
            self.assertTrue(sealed.startswith(MAGIC) and CONTENT[:64] not in sealed)
            self.assertEqual(0o640, os.stat(path).st_mode & 0o777)
            self.assertEqual((CONTENT, ""), self.file("cat", path))
            shown = json.loads(self.file("--json", "info", path)[0])
            self.assertEqual((letter, len(CONTENT)), (shown["class"], shown["length"]))
            self.file("unprotect", path)
            self.assertEqual(CONTENT, self.content(path))
            self.assertEqual([], [name for name in os.listdir(self.home.home) if ".new-" in name])

    def test_a_protected_file_is_not_protected_once_more(self):
        path, damaged = self.plain("file"), self.plain("damaged")
        for one in (path, damaged):
            self.file("protect", one)
        with open(damaged, "r+b") as file:
            file.truncate(100)
        for one, reason in ((path, "protected already"), (damaged, "damaged")):
            before = self.content(one)
            for letter in "ac":
                status = (-50 if one == path else -26275) & 0xFF
                self.assertIn(reason, self.file("protect", "-c", letter, one, status=status)[1])
            self.assertEqual(before, self.content(one))
        # Somebody who names another path means it.
        self.file("protect", "-o", self.path("twice"), path)
        self.assertEqual(self.content(path), self.file("cat", self.path("twice"))[0])

    def test_a_pipe_is_encrypted_and_decrypted(self):
        sealed, _ = self.file("protect", "-o", "-", "-", data=CONTENT)
        self.assertTrue(sealed.startswith(MAGIC))
        self.assertEqual(CONTENT, self.file("cat", "-", data=sealed)[0])

    def test_files_lock_with_the_keychain_as_their_class_says(self):
        paths = {letter: self.plain(letter) for letter in "abcd"}
        for letter, path in paths.items():
            self.file("protect", "-c", letter, path)
        self.home.says("set-keychain-password", "-p", "pw", "-o", "")
        self.home.says("lock-keychain")
        for letter, status in (("a", LOCKED), ("b", LOCKED), ("c", 0), ("d", 0)):
            self.file("cat", paths[letter], status=status)
        # A shelf takes an unlocked keychain.
        why = self.file("protect", "-c", "b", "-s", "none", "-o", f"{self.home.home}/new", "-", status=LOCKED)[1]
        self.assertIn("The first file of class B makes the shelf", why)
        # A file of class b is written while locked, and read when unlocked.
        self.file("protect", "-c", "b", "-o", f"{self.home.home}/new", "-", data=CONTENT)
        self.file("cat", f"{self.home.home}/new", status=LOCKED)
        self.file("protect", "-c", "a", "-o", f"{self.home.home}/refused", "-", data=CONTENT, status=LOCKED)
        self.assertFalse(os.path.exists(f"{self.home.home}/refused"))
        self.home.end()
        for letter, status in (("a", LOCKED), ("b", LOCKED), ("c", LOCKED), ("d", 0)):
            self.file("cat", paths[letter], status=status)
        self.home.says("unlock-keychain", "-p", "pw")
        for path in (*paths.values(), f"{self.home.home}/new"):
            self.assertEqual(CONTENT, self.file("cat", path)[0])

    def test_a_file_goes_to_another_class_and_shelf(self):
        path = self.plain("file")
        self.file("move", "-c", "a", path, status=-25257 & 0xFF)
        self.assertEqual(CONTENT, self.content(path))
        self.file("protect", "-c", "d", path)
        before = self.content(path)
        self.file("move", "-c", "a", "-s", "letters", path)
        after = self.content(path)
        self.assertEqual(before[8192:], after[8192:])
        # Neither copy of the header has the weaker wrapping any more.
        self.assertEqual(after[:4096], after[4096:8192])
        self.assertNotIn(before[64:144], after)
        self.assertEqual("a", json.loads(self.file("--json", "info", path)[0])["class"])
        self.assertEqual((CONTENT, 0o640), (self.file("cat", path)[0], os.stat(path).st_mode & 0o777))
        self.file("move", path, status=2)
        self.home.says("set-keychain-password", "-p", "pw", "-o", "")
        self.home.says("lock-keychain")
        self.file("move", "-c", "d", path, status=LOCKED)
        self.assertEqual(after, self.content(path))

    def test_a_part_of_a_file_is_written(self):
        path = self.plain("file")
        self.file("protect", path)
        for text, first, end in (("0-0", 0, 1), ("65530-65545", 65530, 65546), ("199990-", 199990, None)):
            self.assertEqual(CONTENT[first:end], self.file("cat", "-r", text, path)[0])
        self.assertEqual(b"", self.file("cat", "-r", "200000-", path)[0])
        for text in ("5", "5-4", "-5", "x-y", "0-18446744073709551615"):
            self.file("cat", "-r", text, path, status=2)

    def test_a_file_that_demands_the_user_is_made_and_opened_by_nobody_else(self):
        path = self.plain("file")
        self.file("protect", "-u", "nothing", path, status=2)
        self.home.says("set-keychain-password", "-p", "pw", "-o", "")
        # Nobody is there to be asked.
        for demand in ("presence", "password"):
            _, reason = self.file("protect", "-u", demand, path, status=LOCKED)
            self.assertEqual(CONTENT, self.content(path), reason)

    def test_the_command_speaks_the_users_language(self):
        path = self.plain("file")
        self.home.environment["LC_ALL"] = "zh_CN.UTF-8"
        self.assertIn("这不是受保护的文件", self.file("cat", path, status=-25257 & 0xFF)[1])

    def test_damage_is_named_and_nothing_behind_it_comes_out(self):
        path = self.plain("file")
        self.file("protect", path)
        self.assertIn(b"whole", self.file("verify", path)[0])
        sealed = bytearray(self.content(path))
        place = 8192 + (65536 + 16)
        sealed[place] ^= 1
        with open(path, "wb") as file:
            file.write(sealed)
        out, _ = self.file("cat", path, status=-26275 & 0xFF)
        self.assertEqual(CONTENT[:65536], out)
        self.assertIn("file.damaged", self.file("--json", "verify", path, status=1)[0].decode())
        self.file("unprotect", path, status=-26275 & 0xFF)
        self.assertEqual(bytes(sealed), self.content(path))

    def test_copies_by_tar_and_git_open_as_the_file_does(self):
        content = os.urandom(100_000)
        for folder in ("from", "to"):
            os.mkdir(self.path(folder))
            self.owned(self.path(folder))
        self.file("protect", "-o", self.path("from/file"), "-", data=content)
        git = ["git", "-c", "core.autocrlf=true", "-c", "user.name=n", "-c", "user.email=e"]
        for words in (
            ["tar", "-C", self.path("from"), "-cf", self.path("tar"), "file"],
            ["tar", "-C", self.path("to"), "-xf", self.path("tar")],
            [*git, "init", "-q", self.path("from")],
            [*git, "-C", self.path("from"), "add", "file"],
            [*git, "-C", self.path("from"), "commit", "-qm", "it"],
            [*git, "clone", "-q", self.path("from"), self.path("clone")],
        ):
            self.done(*words)
        for copy in ("to/file", "clone/file"):
            self.assertEqual(self.content(self.path("from/file")), self.content(self.path(copy)))
            self.assertEqual(content, self.file("cat", self.path(copy))[0])

    def test_a_deleted_shelf_closes_all_copies_of_its_files(self):
        path, other = self.plain("file"), self.plain("other")
        self.file("protect", "-s", "customer", path)
        self.file("protect", other)
        self.owned(shutil.copy(path, f"{path}.copy"))
        shelves = [json.loads(line) for line in self.file("--json", "shelves")[0].splitlines()]
        (shelf,) = [one["shelf"] for one in shelves if one["name"] == "customer"]
        today = datetime.datetime.now(datetime.timezone.utc)
        days = [str((today + datetime.timedelta(days=49, seconds=late)).date()) for late in (-600, 0)]
        said = self.file("delete-shelf", shelf)[1]
        self.assertRegex(said, f"snapshots may have the shelf until ({'|'.join(days)})\n")
        self.assertIn("backups and other machines may have", said)
        for one in (path, f"{path}.copy"):
            _, reason = self.file("cat", one, status=-25300 & 0xFF)
        self.assertIn("The shelf that wrapped the file's key is not in this keychain", reason)
        self.assertEqual(CONTENT, self.file("cat", other)[0])

    def test_a_name_of_a_shelf_makes_no_line_of_its_own_in_the_list(self):
        path = self.plain("file")
        self.file("protect", "-s", f"customer\n{'0' * 32} a", path)
        lines = self.file("shelves")[0].decode().splitlines()
        self.assertEqual(1, len(lines), lines)

    def why(self, path, *words):
        done = self.home.run("why", *words, path)
        self.assertEqual((0, ""), (done.returncode, done.stderr))
        return done.stdout

    def test_why_says_what_keeps_a_file_closed(self):
        path, lost, cut = self.plain("file"), self.plain("lost"), self.plain("cut")
        self.file("protect", "-c", "a", "-s", "letters", path)
        for one in (lost, cut):
            self.file("protect", "-s", os.path.basename(one), one)
        self.assertIn("nothing keeps it closed", self.why(path))
        self.assertIn('name "letters"', self.why(path))
        self.assertIn("access.group-not-granted", self.why(path, "--as", "/usr/bin/env"))
        shelf = json.loads(self.file("--json", "info", lost)[0])["shelf"]
        self.file("delete-shelf", shelf)
        self.assertIn("file.no-shelf", self.why(lost))
        with open(cut, "r+b") as file:
            file.truncate(8190)
        self.assertIn("file.damaged", self.why(cut))
        self.assertIn("file.not-protected", self.why(self.plain("plain")))
        self.home.says("set-keychain-password", "-p", "pw", "-o", "")
        self.home.says("lock-keychain")
        shown = json.loads(self.why(path, "--json"))
        self.assertEqual(("a", "letters"), (shown["class"], shown["place"]["name"]))
        self.assertEqual("state.locked", shown["refusal"]["rule"])
        self.assertEqual(2, self.home.run("why", "-s", "service", path).returncode)

    def test_what_cannot_be_replaced_is_left_alone(self):
        path = self.plain("file")
        os.link(path, f"{path}.name")
        self.file("protect", path, status=1)
        self.assertEqual(CONTENT, self.content(path))
        marked = self.plain("marked")
        try:
            os.setxattr(marked, "user.note", b"kept")
        except OSError as error:
            # A file system that has no attributes loses none.
            self.assertEqual(errno.ENOTSUP, error.errno)
        else:
            for word, begin in (("protect", MAGIC), ("unprotect", CONTENT[:8])):
                self.file(word, marked)
                self.assertEqual((begin, b"kept"), (self.content(marked)[:8], os.getxattr(marked, "user.note")))
        plain = self.plain("plain")
        self.file("cat", plain, status=-25257 & 0xFF)
        self.file("unprotect", plain, status=-25257 & 0xFF)
        self.assertEqual(CONTENT, self.content(plain))
        link = f"{self.home.home}/link"
        os.symlink(plain, link)
        self.file("protect", link)
        self.assertTrue(os.path.islink(link) and self.content(plain).startswith(MAGIC))

    def test_a_pipe_is_not_replaced(self):
        path, pipe = self.plain("file"), f"{self.home.home}/pipe"
        os.mkfifo(pipe)
        os.symlink("/dev/null", f"{self.home.home}/link")
        for target in (pipe, f"{self.home.home}/link"):
            before = os.lstat(target)
            _, reason = self.file("protect", "-o", target, path, status=1)
            self.assertIn("not a file that could be replaced", reason)
            self.assertEqual(before.st_ino, os.lstat(target).st_ino)

    def test_a_list_of_the_folder_opens_no_file_to_others(self):
        folder = f"{self.home.home}/shared"
        os.mkdir(folder)
        path = self.plain("shared/file")
        self.owned(folder)
        # The owner, user 65534, the group, the mask and all others: tag, permissions, number (acl(5)).
        entries = ((1, 7, -1), (2, 6, 65534), (4, 5, -1), (16, 7, -1), (32, 0, -1))
        acl = struct.pack("<I", 2) + b"".join(struct.pack("<HHi", *entry) for entry in entries)
        try:
            os.setxattr(folder, "system.posix_acl_default", acl)
        except OSError as error:
            # A file system that has no lists gives nobody access by one.
            self.assertEqual(errno.ENOTSUP, error.errno)
            return
        self.file("protect", path, status=1)
        self.assertEqual(CONTENT, self.content(path))
        self.file("protect", "-o", f"{folder}/out", path)
        self.assertEqual(0o600, os.stat(f"{folder}/out").st_mode & 0o777)

    def test_an_older_version_is_taken_for_the_file(self):
        path = self.plain("file", b"old")
        self.file("protect", path)
        older = self.content(path)
        self.file("unprotect", path)
        with open(path, "wb") as file:
            file.write(b"new")
        self.file("protect", path)
        with open(path, "wb") as file:
            file.write(older)
        self.assertEqual((b"old", ""), self.file("cat", path))

    def editor(self, *lines):
        path = f"{self.home.programs}/editor"
        with open(path, "w") as file:
            file.write("\n".join(("#!/bin/sh", *lines)))
        os.chmod(path, 0o755)
        self.home.environment["EDITOR"] = path
        self.home.environment["XDG_RUNTIME_DIR"] = "/dev/shm"

    def edits(self):
        return [name for name in os.listdir("/dev/shm") if name.startswith("keychain-edit-")]

    def test_an_editor_changes_a_file_in_memory(self):
        path, before = self.plain("file.txt", b"one\n"), self.edits()
        self.file("protect", "-c", "a", "-s", "letters", path)
        shelf = json.loads(self.file("--json", "info", path)[0])["shelf"]
        rights = 'stat -c %a%a "$(dirname "$1")" "$1" >> "$1"'
        self.editor(f'echo "$1" > {self.home.home}/where', rights, 'echo two >> "$1"')
        self.file("edit", path)
        self.assertEqual(b"one\n700700\n600600\ntwo\n", self.file("cat", path)[0])
        self.assertEqual(shelf, json.loads(self.file("--json", "info", path)[0])["shelf"])
        self.assertTrue(self.content(f"{self.home.home}/where").strip().endswith(b"/file.txt"))
        whole = self.content(path)
        # What fails or changes nothing leaves the file as it is.
        for lines, status in ((["exit 3"], 1), (["true"], 0), (['rm "$1"'], 1)):
            self.editor(*lines)
            self.file("edit", path, status=status)
            self.assertEqual(whole, self.content(path))
        self.editor(f"mv {path} {path}.moved", f"cp {path}.moved {path}", 'echo three >> "$1"')
        self.file("edit", path, status=1)
        self.assertEqual(whole, self.content(path))
        self.file("edit", self.plain("plain"), status=-25257 & 0xFF)
        self.assertEqual(before, self.edits())

    def test_an_editor_takes_no_recovery_recipient_away(self):
        _, recipient = self.recovery_key()
        path = self.plain("file")
        self.file("protect", "-R", recipient, path)
        self.editor('echo more >> "$1"')
        self.file("edit", path, status=-50 & 0xFF)
        self.file("edit", "-R", recipient, path)
        self.assertEqual(CONTENT + b"more\n", self.file("cat", path)[0])
        self.assertEqual(1, len(json.loads(self.file("--json", "info", path)[0])["recovery"]))

    def recovery_key(self, name="key"):
        path = f"{self.home.home}/{name}"
        recipient = self.file("recovery-key", "-o", path)[0].decode().strip()
        self.assertEqual(0o600, os.stat(path).st_mode & 0o777)
        _, text = self.content(path).decode().splitlines()
        self.assertEqual(recipient, protected_file.Identity(text).recipient)
        self.file("recovery-key", "-o", path, status=1)
        self.assertIn(text, self.content(path).decode())
        return path, recipient

    def test_a_recovery_recipient_opens_files_without_their_keychain(self):
        (key, recipient), (other, _) = self.recovery_key(), self.recovery_key("other")
        path, cut = self.plain("file"), self.plain("cut")
        self.file("protect", "-c", "a", "-R", recipient, path)
        self.file("protect", "-R", recipient, cut)
        identity = protected_file.Identity(self.content(key).decode().splitlines()[1])
        self.assertEqual(CONTENT, protected_file.read(self.content(path), identity))
        self.assertEqual([identity.id.hex()], json.loads(self.file("--json", "info", path)[0])["recovery"])
        (shelf,) = {json.loads(self.file("--json", "info", path)[0])["shelf"]}
        # Neither the keychain nor its passcode is needed, nor the shelf.
        self.file("delete-shelf", shelf)
        self.file("cat", path, status=-25300 & 0xFF)
        self.home.end()
        lost = f"{self.home.home}/lost"
        self.home.environment["KEYCHAIN_HOME"] = lost
        self.assertEqual((CONTENT, ""), self.file("cat", "-i", key, path))
        self.assertIn(b"whole", self.file("verify", "-i", key, path)[0])
        self.file("verify", "-i", other, path, status=1)
        self.file("cat", "-i", path, path, status=-50 & 0xFF)
        self.file("cat", "-i", key, "-r", "0-1", path, status=2)
        self.file("cat", "-i", "-", "-", status=2)
        self.assertEqual(CONTENT, self.file("cat", "-i", "-", path, data=self.content(key))[0])
        with open(cut, "r+b") as file:
            file.truncate(100_000)
        self.assertEqual(CONTENT[:65536], self.file("cat", "-i", key, cut, status=-26275 & 0xFF)[0])
        self.file("unprotect", "-i", key, path)
        self.assertEqual(CONTENT, self.content(path))
        self.assertFalse(os.path.exists(lost))

    def test_recovery_recipients_stay_with_a_file_until_others_are_given(self):
        (key, recipient), (other, second) = self.recovery_key(), self.recovery_key("other")
        path = self.plain("file")
        self.file("protect", "-R", recipient, "-R", recipient, path)
        self.file("move", "-c", "d", path)
        self.assertEqual(CONTENT, self.file("cat", "-i", key, path)[0])
        self.file("recovery", "-R", second, path)
        self.assertEqual(CONTENT, self.file("cat", "-i", other, path)[0])
        self.file("cat", "-i", key, path, status=-25300 & 0xFF)
        self.file("recovery", path)
        self.assertEqual([], json.loads(self.file("--json", "info", path)[0])["recovery"])
        self.assertEqual((CONTENT, 0o640), (self.file("cat", path)[0], os.stat(path).st_mode & 0o777))
        mistyped = second[:-1] + ("p" if second.endswith("q") else "q")
        for words in (("-R", "age1q"), ("-R", mistyped), ("-R", self.content(key).decode())):
            self.file("recovery", *words, path, status=2)
        many = [protected_file.Identity().recipient for _ in range(8)]
        self.file("protect", *(word for one in many for word in ("-R", one)), path, status=2)
        self.file("recovery", self.plain("plain"), status=-25257 & 0xFF)

    def recipients(self, path):
        return json.loads(self.file("--json", "info", path)[0])["recovery"]

    def test_a_keychain_gives_each_new_file_its_recovery_recipients(self):
        (key, recipient), (_, other) = self.recovery_key(), self.recovery_key("other")
        before, path = self.plain("before"), self.plain("file")
        self.file("protect", before)
        # Nobody is asked where there is no password, so that nobody else could tell who it was.
        self.file("recovery-default", "-R", recipient, status=-25293 & 0xFF, data=b"pw\n")
        self.home.says("set-keychain-password", "-p", "pw", "-o", "")
        self.file("recovery-default", "-R", recipient, status=-25293 & 0xFF, data=b"wrong\n")
        self.assertEqual(b"", self.file("recovery-default")[0])
        self.file("recovery-default", "-R", recipient, "-N", status=2)
        self.assertEqual(recipient, self.file("recovery-default", "-R", recipient, data=b"pw\n")[0].decode().strip())
        self.assertIn(f"recovery:    {recipient}\n", self.home.run("status").stdout)
        self.home.end()
        self.home.says("unlock-keychain", "-p", "pw")
        self.file("protect", "-c", "a", path)
        self.assertEqual([], self.recipients(before))
        self.assertEqual(CONTENT, self.file("cat", "-i", key, path)[0])
        given = self.recipients(path)
        # The page of the vault says where they are.
        (kept,) = Vault(self.content(f"{self.home.environment['KEYCHAIN_HOME']}/vault"), b"pw").recovery
        self.assertEqual([hashlib.sha256(kept).hexdigest()[:32]], given)
        # Once, if it is named too; next to others; and not in a file of this device.
        for words, count in ((("-R", recipient), 1), (("-R", other), 2), (("-D",), 0)):
            self.file("protect", *words, "-o", self.path("new"), before)
            self.assertEqual(count, len(self.recipients(self.path("new"))))
        self.editor('echo more >> "$1"')
        self.file("edit", path)
        self.assertEqual((CONTENT + b"more\n", given), (self.file("cat", "-i", key, path)[0], self.recipients(path)))
        self.assertEqual(b"", self.file("recovery-default", "-N", data=b"pw\n")[0])
        self.file("protect", "-o", self.path("new"), before)
        self.assertEqual([], self.recipients(self.path("new")))

    def test_a_recovery_slot_of_another_file_opens_nothing(self):
        key, recipient = self.recovery_key()
        path, other = self.plain("file"), self.plain("other", b"other")
        for one in (path, other):
            self.file("protect", "-R", recipient, one)
        mine, theirs = self.content(path), self.content(other)
        begin, end = 64 + 80, 64 + 80 + 100
        for place in (0, 4096):
            mine = mine[: place + begin] + theirs[place + begin : place + end] + mine[place + end :]
        with open(path, "wb") as file:
            file.write(mine)
        self.file("cat", "-i", key, path, status=-25300 & 0xFF)
        self.file("cat", path, status=-26275 & 0xFF)
        # A whole header of another file is no better.
        with open(path, "wb") as file:
            file.write(theirs[:8192] + mine[8192:])
        out, _ = self.file("cat", "-i", key, path, status=-26275 & 0xFF)
        self.assertEqual(b"", out)

    def test_a_keychain_that_files_need_is_not_deleted_unasked(self):
        self.home.says("create-keychain", "-p", "", "a.keychain")
        (store,) = self.home.stores
        usual, path = self.home.environment["KEYCHAIN_HOME"], self.plain("file")
        self.home.environment["KEYCHAIN_HOME"] = f"{usual}/keychains/{store}"
        self.file("protect", path)
        self.home.environment["KEYCHAIN_HOME"] = usual
        self.home.fails(LOCKED, "delete-keychain", "a.keychain", because="holds items of other programs")
        self.assertEqual([store], self.home.stores)

    def test_a_killed_command_leaves_no_content(self):
        sealed, _ = self.file("protect", "-o", "-", "-", data=os.urandom(3 << 20))
        words = [f"{self.home.programs}/keychain-file", "unprotect", "-o", self.path("out"), "-"]
        with self.started(*words, stdin=subprocess.PIPE) as command:
            command.stdin.write(sealed[: 2 << 20])
            command.stdin.flush()
            eventually(lambda: self.written(command.pid) > 0)
            command.kill()
        self.assertEqual([], [name for name in os.listdir(self.home.home) if name.startswith("out")])


if __name__ == "__main__":
    main()
