#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "CLinux.h"

#include <asm/sockios.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined __x86_64__
#define OWN_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined __aarch64__
#define OWN_ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#error "the filter of system calls has to be told the architecture"
#endif

// System calls of the 32-bit ABI on x86-64 (x32) have this bit.
#define FOREIGN_KIND 0x40000000

// System calls that access other processes, change the view of the machine, or bypass this filter.
static const unsigned reaching[] = {
    SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_process_madvise, SYS_kcmp, 438 /* pidfd_getfd */,
    SYS_perf_event_open, SYS_bpf, SYS_userfaultfd,
    SYS_unshare, SYS_setns, SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, 428 /* open_tree */,
    429 /* move_mount */, 430 /* fsopen */, 431 /* fsconfig */, 432 /* fsmount */, 433 /* fspick */,
    442 /* mount_setattr */, SYS_open_by_handle_at,
    SYS_add_key, SYS_request_key, SYS_keyctl, SYS_init_module, SYS_finit_module, SYS_delete_module, SYS_kexec_load,
    425 /* io_uring_setup */, 426 /* io_uring_enter */, 427 /* io_uring_register */,
};

// A program is started after the process has chosen its user.
static const unsigned starting[] = {
    SYS_execve, SYS_execveat,
    SYS_setuid, SYS_setgid, SYS_setreuid, SYS_setregid, SYS_setresuid, SYS_setresgid, SYS_setgroups,
#ifdef SYS_fork
    SYS_fork, SYS_vfork,
#endif
};

// System calls that end, stop or slow down other processes of the same user.
static const unsigned disturbing[] = {
    SYS_tkill, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo, 424 /* pidfd_send_signal */, 448 /* process_mrelease */,
    SYS_setpriority, SYS_sched_setaffinity, SYS_sched_setscheduler, SYS_sched_setparam, SYS_sched_setattr,
    SYS_ioprio_set, SYS_migrate_pages, SYS_move_pages,
};

// The resolver asks the kernel by netlink which addresses the machine has.
static const unsigned families[] = {AF_UNIX, AF_INET, AF_INET6, AF_NETLINK};

static const unsigned connecting[] = {SYS_socket, SYS_connect, SYS_bind, SYS_listen};

struct program {
    struct sock_filter steps[256];
    unsigned short count;
};

static void add(struct program *program, struct sock_filter step) { program->steps[program->count++] = step; }

static void load(struct program *program, size_t offset) {
    add(program, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (unsigned)offset));
}

static void end(struct program *program, unsigned verdict) {
    add(program, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, verdict));
}

/// Continues with the next step if the loaded word is the value, otherwise skips some steps.
static void unless_equal_skip(struct program *program, unsigned value, unsigned char steps) {
    add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, steps));
}

static const unsigned refused = SECCOMP_RET_ERRNO | EPERM;

static void refuse(struct program *program, const unsigned *calls, size_t count) {
    for (size_t index = 0; index < count; index++) {
        unless_equal_skip(program, calls[index], 1);
        end(program, refused);
    }
}

/// Refuses a call unless its first argument, of 32 bits, is the value. The halves of arguments are in little-endian
/// order.
static void refuse_unless(struct program *program, unsigned call, unsigned value) {
    unless_equal_skip(program, call, 4);
    load(program, offsetof(struct seccomp_data, args));
    add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 1, 0));
    end(program, refused);
    load(program, offsetof(struct seccomp_data, nr));
}

/// Refuses a call unless its first argument, of 32 bits, is one of the values.
static void refuse_unless_one(struct program *program, unsigned call, const unsigned *values, unsigned char count) {
    unless_equal_skip(program, call, count + 3);
    load(program, offsetof(struct seccomp_data, args));
    for (unsigned char index = 0; index < count; index++) {
        unsigned char rest = count - index;
        add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, values[index], rest, 0));
    }
    end(program, refused);
    load(program, offsetof(struct seccomp_data, nr));
}

/// Refuses a call whose second argument, of 32 bits, is the value.
static void refuse_command(struct program *program, unsigned call, unsigned value) {
    unless_equal_skip(program, call, 4);
    load(program, offsetof(struct seccomp_data, args) + 8);
    unless_equal_skip(program, value, 1);
    end(program, refused);
    load(program, offsetof(struct seccomp_data, nr));
}

#define REFUSE(program, calls) refuse(program, calls, sizeof calls / sizeof *calls)

int clinux_forbid_reaching_out(int more) {
    struct program program = {.count = 0};
    load(&program, offsetof(struct seccomp_data, arch));
    add(&program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, OWN_ARCHITECTURE, 1, 0));
    end(&program, refused);
    load(&program, offsetof(struct seccomp_data, nr));
    add(&program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, FOREIGN_KIND, 0, 1));
    end(&program, refused);
    REFUSE(&program, reaching);
    if (more & CLINUX_FORBID_PROGRAMS) REFUSE(&program, starting);
    if (more & CLINUX_FORBID_CONNECTIONS) REFUSE(&program, connecting);
    if (more & CLINUX_FORBID_NETWORKS) refuse_unless(&program, SYS_socket, AF_UNIX);
    if (more & CLINUX_FORBID_OTHER_NETWORKS)
        refuse_unless_one(&program, SYS_socket, families, sizeof families / sizeof *families);
    if (more & CLINUX_FORBID_NEIGHBOURS) {
        REFUSE(&program, disturbing);
        refuse_unless(&program, SYS_kill, (unsigned)getpid());
        refuse_unless(&program, SYS_tgkill, (unsigned)getpid());
        // The kernel sends a signal of the caller's choice to the process that is set as the owner of a descriptor.
        refuse_command(&program, SYS_fcntl, F_SETOWN);
        refuse_command(&program, SYS_fcntl, F_SETOWN_EX);
        refuse_command(&program, SYS_fcntl, F_SETSIG);
        refuse_command(&program, SYS_ioctl, FIOSETOWN);
        refuse_command(&program, SYS_ioctl, SIOCSPGRP);
        // Zero means the calling process.
        refuse_unless(&program, SYS_prlimit64, 0);
    }
    end(&program, SECCOMP_RET_ALLOW);
    struct sock_fprog whole = {program.count, program.steps};
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &whole, 0, 0);
}
