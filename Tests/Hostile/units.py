"""Attacks through units of the service manager: whose identity is a unit's, and who only runs below one.

No service manager is needed: what the keychain goes by are control groups, which root makes here as systemd would.
"""

import contextlib
import os
import subprocess

from deployment import OTHER, VICTIM, wait_until
from isolation import hierarchy
from patience import PATIENCE, eventually
from suite import FAILS, SUCCEEDS, attack

HERE = os.path.dirname(os.path.abspath(__file__))
CRON = os.path.abspath(os.path.join(HERE, "../../.build/cron"))
STRANGER = "is for root and for system services"
NAMES = {0: "root", VICTIM: "kc-victim", OTHER: "kc-other"}


@contextlib.contextmanager
def unit(name):
    """A unit's control group; a function that puts the process that calls it there."""
    slice_ = f"{hierarchy()}/system.slice"
    made = [folder for folder in (slice_, f"{slice_}/{name}") if not os.path.isdir(folder)]
    for folder in made:
        os.mkdir(folder)

    def join():
        with open(f"{slice_}/{name}/cgroup.procs", "w") as file:
            file.write("0")

    try:
        yield join
    finally:
        for folder in reversed(made):
            eventually(lambda folder=folder: is_empty(folder), f"processes remain in {folder}")
            os.rmdir(folder)


def is_empty(folder):
    with open(f"{folder}/cgroup.procs") as file:
        return not file.read()


def system(d):
    return d.environment(KEYCHAIN_SOCKET=d.path("run", "system"))


def add(program, text):
    return f"{program} -v add-generic-password -U -s unit -a a -w {text}"


def words(program):
    return f"{program} -v find-generic-password -s unit -a a -w"


def root_has_stored(d, join):
    done = subprocess.run(
        ["sh", "-c", add(d.path("bin", "victim"), d.secret)],
        preexec_fn=join,
        env=system(d),
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise RuntimeError("root's own job cannot store: " + done.stderr)


class Cron:
    """Debian's own cron, in the control group of its unit.

What its users have it do at its start is done when it has begun.
    """

    def __init__(self, d, join):
        self.d, self.join = d, join
        self.tables, self.out = d.path("crontabs"), d.path("cron")
        for folder in (self.tables, self.out):
            os.makedirs(folder, exist_ok=True)
        os.chmod(self.out, 0o777)

    def run(self, jobs, system_keychain=True):
        """Has each user's job done by the user's own table; what each said."""
        socket = self.d.path("run", "system") if system_keychain else self.d.socket
        for user, job in jobs.items():
            table, said = f"{self.tables}/{NAMES[user]}", f"{self.out}/{user}"
            with open(table, "w") as file:
                file.write(
                    f"KEYCHAIN_SOCKET={socket}\nKEYCHAIN_INTERACTION=never\n@reboot ({job}) >{said} 2>&1; touch"
                    f" {said}.done\n"
                )
            os.chown(table, user, user)
            os.chmod(table, 0o600)
        daemon = subprocess.Popen(
            [
                "unshare",
                "--mount",
                "sh",
                "-c",
                f"""
                set -e
                mount -t tmpfs none /run/lock && mkdir -p /var/spool/cron/crontabs
                mount --bind {self.tables} /var/spool/cron/crontabs
                mount -t tmpfs none {self.d.path('etc-cron')}
                cp -r /etc/pam.d {self.d.path('etc-cron')} && cp {CRON}/etc/pam.d/cron {self.d.path('etc-cron')}/pam.d
                mount --bind {self.d.path('etc-cron')}/pam.d /etc/pam.d
                rm -f /run/crond.reboot
                exec {CRON}/usr/sbin/cron -f""",
            ],
            preexec_fn=self.join,
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            done = [f"{self.out}/{user}.done" for user in jobs]
            if (
                not wait_until(lambda: all(map(os.path.exists, done)) or daemon.poll() is not None)
                or daemon.poll() is not None
            ):
                raise RuntimeError(
                    "cron did not do its jobs: " + (daemon.stderr.read() if daemon.poll() is not None else "")
                )
            return {user: open(f"{self.out}/{user}").read() for user in jobs}
        finally:
            daemon.kill()
            daemon.wait()
            for folder in (self.tables, self.out):
                for name in os.listdir(folder):
                    os.unlink(f"{folder}/{name}")


@contextlib.contextmanager
def cron(d):
    os.makedirs(d.path("etc-cron"), exist_ok=True)
    with unit("cron.service") as join:
        yield Cron(d, join)


@attack(
    "users' jobs of a real cron read and overwrite what root's job has stored in the system's keychain", FAILS, STRANGER
)
def cron_jobs(d):
    victim = d.path("bin", "victim")
    with cron(d) as daemon:
        said = daemon.run({0: add(victim, d.secret)})
        said |= daemon.run({user: f"{words(victim)}; {add(victim, 'EVIL')}" for user in (VICTIM, OTHER)})
        said |= daemon.run({0: words(victim)})
    d.said = said[VICTIM] + said[OTHER]
    if d.secret not in said[0]:
        raise RuntimeError("root's job does not find what it has stored: " + said[0])
    return d.secret in d.said or "is for root" not in said[VICTIM] or "is for root" not in said[OTHER]


@attack("a user's own job of a real cron finds what the user has stored at the terminal", SUCCEEDS)
def own_cron_job(d):
    victim = d.path("bin", "victim")
    d.store(victim, service="unit")
    with cron(d) as daemon:
        d.said = daemon.run({VICTIM: words(victim)}, system_keychain=False)[VICTIM]
    return d.secret in d.said


def as_user(join, user):
    """A function that puts the process that calls it into a unit and makes it a user's, as a service manager does."""

    def start():
        join()
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)

    return start


def in_unit(d, name, script, head=None, environment=None):
    """Runs a shell's script as root in a unit, beside another process of the unit; all that was said."""
    with unit(name) as join:
        others = [subprocess.Popen(["sleep", "infinity"], preexec_fn=as_user(join, head))] if head is not None else []
        try:
            done = subprocess.run(
                ["sh", "-c", script],
                preexec_fn=join,
                env=environment or system(d),
                capture_output=True,
                text=True,
                timeout=PATIENCE,
            )
        finally:
            for process in others:
                process.kill()
                process.wait()
    d.said = done.stdout + done.stderr
    return d.said


def becoming(user, command):
    return f"setpriv --reuid {user} --regid {user} --clear-groups {command}"


@attack(
    "a program of a user's that a unit of root's has started (mail delivery, CGI) reads the unit's item",
    FAILS,
    STRANGER,
)
def below_a_unit(d):
    victim = d.path("bin", "victim")
    with unit("mail.service") as join:
        root_has_stored(d, join)
    return d.secret in in_unit(d, "mail.service", becoming(VICTIM, words(victim)) + "; true")


@attack("a user's program that a unit of root's has started, and that has left its parent", FAILS, STRANGER)
def orphan_of_a_unit(d):
    """It becomes a child of the first process, as the unit's own main process is."""
    victim, out = d.path("bin", "victim"), d.path("orphan")
    with unit("mail.service") as join:
        root_has_stored(d, join)
    with open(out, "w"):
        os.chmod(out, 0o666)
    inner = f"(sleep 0.3; {words(victim)}; echo end) >{out} 2>&1 &"
    script = becoming(VICTIM, f"setsid sh -c '{inner}'") + f"; while ! grep -q end {out}; do sleep 0.1; done"
    in_unit(d, "mail.service", script, head=0)
    d.said = open(out).read()
    return d.secret in d.said


@attack("a process that a login has left behind in a unit, after the unit's own processes have ended", FAILS, STRANGER)
def left_behind(d):
    """systemd leaves them alone where a unit says so (KillMode=process); they have the mark of a login (loginuid)."""
    victim = d.path("bin", "victim")
    with unit("tool.service") as join:
        root_has_stored(d, join)

        def login():
            with open("/proc/self/loginuid", "w") as file:
                file.write(str(VICTIM))
            as_user(join, VICTIM)()

        done = subprocess.run(words(victim).split(), preexec_fn=login, env=system(d), capture_output=True, text=True)
    d.said = done.stdout + done.stderr
    return d.secret in d.said


@attack("a process alone in cron's unit, for which nobody has logged in", FAILS, STRANGER)
def alone(d):
    """As where the kernel notes no logins, and cron itself has ended."""
    victim = d.path("bin", "victim")
    with unit("cron.service") as join:
        root_has_stored(d, join)
        done = subprocess.run(
            words(victim).split(), preexec_fn=as_user(join, VICTIM), env=system(d), capture_output=True, text=True
        )
    d.said = done.stdout + done.stderr
    return d.secret in d.said


@attack("a unit that runs as a user reads its item in the system's keychain", SUCCEEDS)
def unit_of_a_user(d):
    victim = d.path("bin", "victim")
    with unit("backup.service") as join:
        d.said = subprocess.run(
            ["sh", "-c", f"{add(victim, d.secret)}; {words(victim)}"],
            preexec_fn=as_user(join, OTHER),
            env=system(d),
            capture_output=True,
            text=True,
        ).stdout
    return d.secret in d.said


@attack("a unit's program that is another user than the unit", FAILS, STRANGER)
def other_than_the_unit(d):
    """A unit that runs as a user, below which another user's program runs, as a job of the unit's."""
    unit_of_a_user(d)
    victim = d.path("bin", "victim")
    return d.secret in in_unit(d, "backup.service", becoming(VICTIM, words(victim)) + "; true", head=OTHER)


def prepare():
    """What says that systemd runs this machine, in this test's own /run."""
    os.makedirs("/run/systemd/system")
