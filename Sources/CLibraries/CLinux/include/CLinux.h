#pragma once
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <sys/types.h>

// Functions that Swift cannot call: variadic functions, macros, and those that glibc declares only under _GNU_SOURCE. A
// module's header must not define that macro, because it would clash with the other C modules. Every function fails as
// its system call does: with a negative result and errno.

/// Maps `size` bytes of private memory that core dumps exclude and a fork finds zeroed. Locks it in RAM where the limit
/// allows. NULL when there is no memory. `*locked` says whether the lock was granted.
void *clinux_map_secret(size_t size, int *locked);

/// Writes a warning into the system's log.
void clinux_warn(const char *text);

/// Overwrites memory in a way that the compiler may not optimise away.
void clinux_wipe(void *start, size_t size);

/// accept4: the connection is closed on exec and does not block.
int clinux_accept(int listener);

/// SO_PEERCRED: the credentials of the peer when it connected.
int clinux_peer_credentials(int socket, pid_t *pid, uid_t *uid, gid_t *gid);

/// SO_PEERPIDFD (Linux 6.5): a descriptor for the peer's process.
int clinux_peer_pidfd(int socket);

/// The maximum number of descriptors in one message.
#define CLINUX_MAX_DESCRIPTORS 16
/// The number of descriptors that a message may bring when no sender is asked for.
#define CLINUX_DESCRIPTOR_ROOM 32

/// Sends bytes with up to CLINUX_MAX_DESCRIPTORS descriptors attached to the first of them; never raises SIGPIPE.
ssize_t clinux_send_descriptors(int socket, const void *bytes, size_t size, const int *descriptors, size_t count);

/// Receives bytes and the descriptors attached to them (closed on exec). `descriptors` has CLINUX_DESCRIPTOR_ROOM;
/// `*count` is the number received. `*is_whole` is false when there were more than `most`, which is
/// CLINUX_MAX_DESCRIPTORS or none, or too many open files. Where none may come and the sender is asked for, none is
/// ever opened. `*sender` is the process that sent the bytes, if the socket was told to ask (clinux_ask_for_senders),
/// otherwise 0. A kernel never returns bytes of two senders at once.
ssize_t clinux_receive_descriptors(
    int socket, void *bytes, size_t size, size_t most, int *descriptors, size_t *count, pid_t *sender, bool *is_whole);

/// SO_PASSCRED: the kernel reports the sender of everything received from this socket, or from a connection it accepts.
int clinux_ask_for_senders(int socket);

/// Whether SO_PASSCRED is set, directly or through its listener.
int clinux_asks_for_senders(int socket);

/// pipe2: both ends are closed on exec.
int clinux_pipe(int ends[2]);

/// mkostemp: a new file, open for writing, mode 0600, closed on exec; `path` ends in XXXXXX and receives its name.
int clinux_make_temporary(char *path);

/// O_TMPFILE: a new file without a name in a folder, open for reading and writing, mode 0600, closed on exec.
int clinux_make_unnamed(const char *folder);

/// linkat: gives such a file a name, which must be free.
int clinux_give_name(int file, const char *path);

/// renameat2 with RENAME_NOREPLACE.
int clinux_rename_new(const char *name, const char *path);

/// F_OFD_SETLK: takes or releases the lock on a file's first byte for this open file description, without waiting.
int clinux_mark(int file, int sets);

/// F_OFD_GETLK: 1 when another open file description has the lock on its first byte, 0 when none has.
int clinux_is_marked(int file);

/// F_SETLK: takes the lock on a file's first byte for this process, without waiting. It goes with the first descriptor
/// of the file that the process closes.
int clinux_lock(int file);

/// F_GETLK: 1 when another process has the lock on the file's first byte, with its number, which is 0 outside of this
/// process namespace; 0 when none has.
int clinux_lock_holder(int file, int32_t *process);

/// Whether the file has capabilities for programs executed from it.
int clinux_has_capabilities(int file);

/// flistxattr, fgetxattr, fsetxattr: the names of a file's extended attributes, each with a zero behind it, and the
/// value of one.
ssize_t clinux_attribute_names(int file, char *names, size_t room);
ssize_t clinux_attribute(int file, const char *name, void *value, size_t room);
int clinux_set_attribute(int file, const char *name, const void *value, size_t size);

/// memfd_create: an anonymous file of `size` bytes that nobody can resize.
int clinux_memory_file(const char *name, size_t size);

/// 1 when nobody can resize the file, otherwise 0.
int clinux_is_sealed(int file);

/// Whether the descriptor is a socket of this machine, a memory file, a pipe or outside of any file system: closing it
/// does not block.
int clinux_is_of_kernel(int file);

/// Whether it is a pipe, without asking a file system.
int clinux_is_pipe(int file);

/// Whether it is a device, without asking a file system; the kernel's cached metadata count.
int clinux_is_device(int file);

/// memfd_create: an anonymous file with these bytes that nobody can change; its position is its beginning.
int clinux_sealed_file(const char *name, const void *bytes, size_t size);

/// Further system calls to forbid, besides those that access other processes or change the view of the machine.
enum {
    /// Starting programs, and changing the user.
    CLINUX_FORBID_PROGRAMS = 1,
    /// Signalling, slowing down or limiting other processes.
    CLINUX_FORBID_NEIGHBOURS = 2,
    /// Sockets other than unix sockets.
    CLINUX_FORBID_NETWORKS = 4,
    /// Creating and connecting sockets.
    CLINUX_FORBID_CONNECTIONS = 8,
    /// Sockets other than unix sockets and those by which a server on a network is found and reached.
    CLINUX_FORBID_OTHER_NETWORKS = 16,
};

/// Installs a filter of system calls for this thread and those it creates (seccomp(2)). Forbidden calls fail with
/// EPERM. It needs no_new_privs and cannot be undone.
int clinux_forbid_reaching_out(int more);

/// posix_spawn_file_actions_addclosefrom_np: the new process has no descriptors from this number on.
int clinux_close_from(posix_spawn_file_actions_t *actions, int number);

/// The allowed access below a place: reading; also writing to existing files; also creating and removing files;
/// everything.
enum clinux_access { CLINUX_READING, CLINUX_USING, CLINUX_REPLACING, CLINUX_EVERYTHING };

/// Landlock: creates an empty list of allowed places and returns its descriptor.
int clinux_landlock_rules(void);

/// Landlock: allows access to `place`, a descriptor of a folder or file, and everything below it.
int clinux_landlock_allow(int rules, int place, enum clinux_access access);

/// Landlock: from now on the calling thread and those it creates can open only files in the list. Needs no_new_privs.
int clinux_landlock_apply(int rules);

/// Sleeps while `*word` is `expected`, at most `nanoseconds` (negative: forever). Works between processes.
int clinux_futex_wait(const void *word, uint32_t expected, int64_t nanoseconds);

/// Wakes at most `count` sleepers on `*word` and returns their number.
int clinux_futex_wake(const void *word, int count);

/// pidfd_open: a descriptor for a process, which stays valid for this process alone.
int clinux_pidfd_open(pid_t pid);

/// Ends a process by its descriptor (pidfd_send_signal(2), SIGKILL).
int clinux_pidfd_kill(int pidfd);

/// AT_SECURE (getauxval(3)): whether the kernel started this program with more rights than its user has.
int clinux_has_more_than_its_user(void);

int clinux_get_dumpable(void);
int clinux_set_dumpable(int dumpable);
/// Gives the signals of crashes their default effects: the process ends, and no handler of a runtime reports on it.
void clinux_crash_silently(void);
int clinux_set_no_new_privileges(void);

/// setresgid: sets the real, effective and saved group.
int clinux_set_group(gid_t group);

/// Changes the user permanently, with these supplementary groups; the permitted capabilities stay.
int clinux_become(uid_t user, gid_t group, const gid_t *groups, size_t count);

/// PR_CAPBSET_DROP: no program executed from here gets a capability whose bit is not set. Needs CAP_SETPCAP.
int clinux_limit_capabilities(uint64_t kept);

/// capset: sets the permitted, effective, inheritable and ambient capabilities of this thread.
int clinux_set_capabilities(uint64_t kept);

/// getpeername: the abstract name that the peer is bound to, without its leading zero byte. Returns its length, 0 when
/// the peer has no such name; `name` has room for 107 bytes.
ssize_t clinux_peer_abstract_name(int socket, char *name);

/// The fields of statx(2) that distinguish one content of a file from another. Times are nanoseconds since 1970.
struct clinux_file_version {
    uint64_t device, inode, links;
    int64_t size, modified, changed;
    uint32_t owner, group, mode;
    int has_verity;
};

/// Opens a name without using the file (O_PATH), closed on exec. A symbolic link is opened itself, unless a slash
/// follows.
int clinux_open_place(const char *path);

/// Opens the file at a path for its metadata and not for reading (O_PATH), closed on exec.
int clinux_hold_file(const char *path);

/// Opens a folder for lookups (O_PATH), closed on exec.
int clinux_open_folder(const char *path);

/// statx: reads the status of a path, relative to an open folder or (-1) to the working directory; where the path is
/// NULL, of an open file.
int clinux_file_version(int file, const char *path, struct clinux_file_version *version);

/// As clinux_file_version. Where `as_known` is 1, the kernel's cached metadata count, which never takes long: the
/// server of the file system is not asked.
int clinux_find_version(int file, const char *path, int as_known, struct clinux_file_version *version);

/// The same for the program that a process executes; `folder` is its opened folder in /proc.
int clinux_executed_version(int folder, struct clinux_file_version *version);

/// The same by the number of the process.
int clinux_process_version(int process, int as_known, struct clinux_file_version *version);

/// readlink of a link in a process's folder in /proc.
ssize_t clinux_process_link(int process, const char *name, char *text, size_t room);

/// FS_IOC_MEASURE_VERITY: the digest with which the kernel checks the content of a file; returns its length.
int clinux_verity_digest(int file, uint8_t *digest, size_t room);

/// The kind of file system a file is on (statfs(2)'s f_type) and whether it ignores set-group-ID bits (ST_NOSUID).
int clinux_file_system(int file, uint64_t *kind, int *is_nosuid);

/// PIDFD_GET_INFO (Linux 6.13): the real group of a process.
int clinux_pidfd_real_group(int pidfd, gid_t *group);

/// openat2: opens a file by a name below a folder. It follows no symbolic link below the folder and never leaves it.
int clinux_open_beneath(const char *folder, const char *name);

/// openat2: opens a folder by a path in the view of a process with another root, only for its metadata.
int clinux_find_folder(const char *root, const char *path);

/// makedev: the number of a device.
uint64_t clinux_device(uint32_t major, uint32_t minor);

/// Names the calling thread for debuggers; longer than 15 bytes fails.
int clinux_name_thread(const char *name);

/// malloc_trim: returns free memory to the system.
void clinux_give_memory_back(void);

// The number of processors that this process may run on.
int clinux_usable_processors(void);

/// execveat: replaces this process by the program behind a descriptor. A script needs its interpreter here, because the
/// interpreter could not open a descriptor that is closed on exec.
int clinux_execute(int file, char *const *arguments, char *const *environment);

/// The standard streams of a new process, each above the standard numbers; -1 leaves the one of this process.
struct clinux_streams {
    int input, output, errors;
    /// The terminal that controls a session of its own; -1 for this process's session.
    int terminal;
};

/// Starts the program behind a descriptor in a new process, which gets `death_signal` when the calling thread ends
/// (PR_SET_PDEATHSIG). `signals` are those it has blocked. When the exec fails, the process has ended, -1 is returned
/// and errno is the reason.
pid_t clinux_start_watched(int file, char *const *arguments, char *const *environment,
                           const struct clinux_streams *streams, const sigset_t *signals, int death_signal);

/// signalfd: readable when one of these signals is pending, which must be blocked.
int clinux_signal_descriptor(const sigset_t *signals);

/// The next pending signal, 0 when there is none. `*is_of_kernel` says whether the kernel sent it, as it does to all
/// processes of a terminal's foreground.
int clinux_next_signal(int descriptor, int *is_of_kernel);

/// F_SETPIPE_SZ: gives a pipe room for so many bytes; fails with EPERM above the limit of the system.
int clinux_resize_pipe(int pipe, int bytes);

/// environ: the variables of this process, `NAME=VALUE` each, then a null pointer.
char *const *clinux_environment(void);
