#pragma once
#include <spawn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <sys/types.h>

// What Swift cannot call: variadic functions, macros, and what glibc declares only under _GNU_SOURCE (which a module's
// header must not define: it would clash with the other C modules). Everything here fails as the system call does:
// a negative result and errno.

/// Maps `size` bytes of private memory that a core dump leaves out and a fork finds zeroed; locks it in RAM where the
/// limit allows. NULL when there is no memory. `*locked` says whether the lock was granted.
void *clinux_map_secret(size_t size, int *locked);

/// Writes a warning of the program's into the system's log.
void clinux_warn(const char *text);

/// Overwrites memory in a way the compiler may not leave out.
void clinux_wipe(void *start, size_t size);

/// accept4: the connection is closed on exec and does not block.
int clinux_accept(int listener);

/// SO_PEERCRED: who the peer was when it connected.
int clinux_peer_credentials(int socket, pid_t *pid, uid_t *uid, gid_t *gid);

/// SO_PEERPIDFD (Linux 6.5): a descriptor for the peer's process.
int clinux_peer_pidfd(int socket);

/// The most descriptors one message carries here.
#define CLINUX_MAX_DESCRIPTORS 16
/// As many as a message may bring where no sender is asked for.
#define CLINUX_DESCRIPTOR_ROOM 32

/// Sends bytes with up to CLINUX_MAX_DESCRIPTORS descriptors attached to the first of them; never raises SIGPIPE.
ssize_t clinux_send_descriptors(int socket, const void *bytes, size_t size, const int *descriptors, size_t count);

/// Receives bytes and the descriptors attached to them (closed on exec). `descriptors` has CLINUX_DESCRIPTOR_ROOM;
/// `*count` is how many came. `*is_whole` is false when there were more than `most`, which is CLINUX_MAX_DESCRIPTORS or
/// none, or too many open files; where none may come and the sender is asked for, none is ever opened.
/// `*sender` is the process that sent the bytes, where the socket was told to ask (clinux_ask_for_senders), else 0; a
/// kernel never gives out bytes of two senders at once.
ssize_t clinux_receive_descriptors(
    int socket, void *bytes, size_t size, size_t most, int *descriptors, size_t *count, pid_t *sender, bool *is_whole);

/// SO_PASSCRED: whoever receives from this socket, or from a connection it accepts, learns who sent.
int clinux_ask_for_senders(int socket);

/// Whether it was told so, itself or through its listener.
int clinux_asks_for_senders(int socket);

/// pipe2: both ends are closed on exec.
int clinux_pipe(int ends[2]);

/// mkostemp: a new file, open for writing, mode 0600, closed on exec; `path` ends in XXXXXX and receives its name.
int clinux_make_temporary(char *path);

/// F_OFD_SETLK: takes the lock on a file's first byte for this open file description, or gives it back; waits for
/// nobody.
int clinux_mark(int file, int sets);

/// F_OFD_GETLK: 1 when another open file description has the lock on its first byte, 0 when none has.
int clinux_is_marked(int file);

/// Whether the file gives capabilities to whoever runs it.
int clinux_has_capabilities(int file);

/// memfd_create: an anonymous file of `size` bytes that nobody can resize any more.
int clinux_memory_file(const char *name, size_t size);

/// 1 when the file is one that nobody can resize, 0 when it is not.
int clinux_is_sealed(int file);

/// Whether what is open is a socket of this machine, a memory file, a pipe or nothing of a file system's: closing it
/// waits for nobody.
int clinux_is_of_kernel(int file);

/// Whether it is a pipe, without asking a file system.
int clinux_is_pipe(int file);

/// Whether it is a device, without asking a file system: what is known of it counts.
int clinux_is_device(int file);

/// memfd_create: an anonymous file with these bytes that nobody can change any more; its position is its beginning.
int clinux_sealed_file(const char *name, const void *bytes, size_t size);

/// What a filter of system calls forbids beside what reaches into other processes or changes the view of the machine.
enum {
    /// To start programs, and to become another user.
    CLINUX_FORBID_PROGRAMS = 1,
    /// To signal, slow down or limit other processes.
    CLINUX_FORBID_NEIGHBOURS = 2,
    /// Sockets of other kinds than unix sockets.
    CLINUX_FORBID_NETWORKS = 4,
    /// To make sockets and to connect any.
    CLINUX_FORBID_CONNECTIONS = 8,
};

/// A filter of system calls for this thread and those it makes (seccomp(2)): what it forbids fails with EPERM. Needs
/// no_new_privs; cannot be undone.
int clinux_forbid_reaching_out(int more);

/// posix_spawn_file_actions_addclosefrom_np: the new process has no descriptors from this number on.
int clinux_close_from(posix_spawn_file_actions_t *actions, int number);

/// What may be done beneath a place: look; also write to what is there; also make and remove files; all there is.
enum clinux_access { CLINUX_READING, CLINUX_USING, CLINUX_REPLACING, CLINUX_EVERYTHING };

/// Landlock: a list of what may be opened, with nothing in it yet; a descriptor.
int clinux_landlock_rules(void);

/// Landlock: lets `place`, a descriptor of a folder or file, and what is beneath it be used.
int clinux_landlock_allow(int rules, int place, enum clinux_access access);

/// Landlock: the calling thread and the threads it makes can open what the list has, and nothing else. Needs
/// no_new_privs.
int clinux_landlock_apply(int rules);

/// Sleeps while `*word` is `expected`, at most `nanoseconds` (negative: for ever). Works between processes.
int clinux_futex_wait(const void *word, uint32_t expected, int64_t nanoseconds);

/// Wakes at most `count` sleepers on `*word`; the result is how many there were.
int clinux_futex_wake(const void *word, int count);

/// pidfd_open: a descriptor for a process, which no other process inherits the number of.
int clinux_pidfd_open(pid_t pid);

/// Ends a process by its descriptor (pidfd_send_signal(2), SIGKILL).
int clinux_pidfd_kill(int pidfd);

/// AT_SECURE (getauxval(3)): whether the kernel started this program with more than its user has.
int clinux_has_more_than_its_user(void);

int clinux_get_dumpable(void);
int clinux_set_dumpable(int dumpable);
int clinux_get_no_new_privileges(void);
int clinux_set_no_new_privileges(void);

/// setresgid: the real, effective and saved group become this one.
int clinux_set_group(gid_t group);

/// Becomes another user for good, with these groups besides; the permitted capabilities stay.
int clinux_become(uid_t user, gid_t group, const gid_t *groups, size_t count);

/// PR_CAPBSET_DROP: no program executed from here gets a capability whose bit is not set. Needs CAP_SETPCAP.
int clinux_limit_capabilities(uint64_t kept);

/// capset: the permitted, effective, inheritable and ambient capabilities of this thread become these.
int clinux_set_capabilities(uint64_t kept);

/// capget: the permitted capabilities of this thread.
int clinux_get_capabilities(uint64_t *permitted);

/// getpeername: the abstract name the peer is bound to, without its leading zero byte. The result is its length, 0 when
/// the peer has no such name; `name` has room for 107 bytes.
ssize_t clinux_peer_abstract_name(int socket, char *name);

/// What statx(2) says of a file, as far as it tells one content of the file from another. Times are nanoseconds since
/// 1970.
struct clinux_file_version {
    uint64_t device, inode, links;
    int64_t size, modified, changed;
    uint32_t owner, group, mode;
    int has_verity;
};

/// Opens whatever has this name, without using it (O_PATH), closed on exec; a symbolic link itself, unless a slash
/// follows.
int clinux_open_place(const char *path);

/// Opens what a path leads to, to be looked at and not to be read (O_PATH), closed on exec.
int clinux_hold_file(const char *path);

/// Opens a folder to look things up from (O_PATH), closed on exec.
int clinux_open_folder(const char *path);

/// statx: looks at what a path leads to, from an open folder on or (-1) from the working directory, or, where it is
/// NULL, at an open file.
int clinux_file_version(int file, const char *path, struct clinux_file_version *version);

/// As clinux_file_version. Where `as_known` is 1, what the kernel knows of the file counts, which is never long in
/// coming: who serves its file system is not asked.
int clinux_find_version(int file, const char *path, int as_known, struct clinux_file_version *version);

/// The same for what a process executes; `folder` is its folder in /proc, opened.
int clinux_executed_version(int folder, struct clinux_file_version *version);

/// The same by the number of the process.
int clinux_process_version(int process, int as_known, struct clinux_file_version *version);

/// readlink of a link in a process's folder in /proc.
ssize_t clinux_process_link(int process, const char *name, char *text, size_t room);

/// FS_IOC_MEASURE_VERITY: the digest by which the kernel checks what is read of a file; the result is its length.
int clinux_verity_digest(int file, uint8_t *digest, size_t room);

/// The kind of file system a file is on (statfs(2)'s f_type) and whether it ignores set-group-ID bits (ST_NOSUID).
int clinux_file_system(int file, uint64_t *kind, int *is_nosuid);

/// PIDFD_GET_INFO (Linux 6.13): the real group of a process.
int clinux_pidfd_real_group(int pidfd, gid_t *group);

/// openat2: opens a file by a name below a folder, following no symbolic link below it and leaving it by no way.
int clinux_open_beneath(const char *folder, const char *name);

/// openat2: a folder, as a process with another root finds it by its path; open for nothing but to be looked at.
int clinux_find_folder(const char *root, const char *path);

/// makedev: the number of a device.
uint64_t clinux_device(uint32_t major, uint32_t minor);

/// Names the calling thread for debuggers; longer than 15 bytes fails.
int clinux_name_thread(const char *name);

/// malloc_trim: gives the system back what is free.
void clinux_give_memory_back(void);

// How many processors this process may run on.
int clinux_usable_processors(void);
