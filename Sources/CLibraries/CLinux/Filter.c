#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "CLinux.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#if defined __x86_64__
#define OWN_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined __aarch64__
#define OWN_ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#error "the filter of system calls has to be told the architecture"
#endif

// Calls of the 32-bit kind on x86-64 (x32) have this bit.
#define FOREIGN_KIND 0x40000000

// What reaches into other processes, starts programs, changes the view of the machine, or goes around this filter.
static const unsigned forbidden[] = {
    SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_process_madvise, SYS_kcmp, 438 /* pidfd_getfd */,
    SYS_perf_event_open, SYS_bpf, SYS_userfaultfd,
    SYS_execve, SYS_execveat,
#ifdef SYS_fork
    SYS_fork, SYS_vfork,
#endif
    SYS_unshare, SYS_setns, SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, 428 /* open_tree */, 429 /* move_mount */,
    430 /* fsopen */, 431 /* fsconfig */, 432 /* fsmount */, 433 /* fspick */, 442 /* mount_setattr */, SYS_open_by_handle_at,
    SYS_setuid, SYS_setgid, SYS_setreuid, SYS_setregid, SYS_setresuid, SYS_setresgid, SYS_setgroups,
    SYS_add_key, SYS_request_key, SYS_keyctl, SYS_init_module, SYS_finit_module, SYS_delete_module, SYS_kexec_load,
    425 /* io_uring_setup */, 426 /* io_uring_enter */, 427 /* io_uring_register */,
};

enum { count = sizeof forbidden / sizeof *forbidden };

int clinux_forbid_reaching_out(void) {
    // Architecture and kind, then one comparison for each; the last two are where all of them jump to.
    struct sock_filter steps[4 + count + 2];
    size_t end = 0;
    steps[end++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch));
    steps[end++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, OWN_ARCHITECTURE, 0, count + 3);
    steps[end++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    steps[end++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, FOREIGN_KIND, count + 1, 0);
    for (size_t index = 0; index < count; index++) {
        unsigned char rest = (unsigned char)(count - index);
        steps[end++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, forbidden[index], rest, 0);
    }
    steps[end++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    steps[end++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
    struct sock_fprog program = {(unsigned short)end, steps};
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}
