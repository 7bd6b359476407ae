#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Two copies of Foundation in one process do not know each other's classes: every cast of a result fails silently. This
// happens when a program with Swift's runtime inside loads this library, which loads the shared runtime. Such a program
// therefore ends here, before it has done anything.

/// The names in a program's dynamic section: needed libraries, imports and exports.
struct names {
    const char *start;
    size_t size;
};

static struct names dynamic_names(const struct dl_phdr_info *program) {
    struct names names = {NULL, 0};
    for (int i = 0; i < program->dlpi_phnum; i++) {
        if (program->dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
        const ElfW(Dyn) *entry = (const void *)(program->dlpi_addr + program->dlpi_phdr[i].p_vaddr);
        for (; entry->d_tag != DT_NULL; entry++) {
            // The loader has converted it to an address of this process.
            if (entry->d_tag == DT_STRTAB) names.start = (const char *)entry->d_un.d_ptr;
            if (entry->d_tag == DT_STRSZ) names.size = entry->d_un.d_val;
        }
    }
    return names;
}

/// Swift's names begin with $s. A program that loads the shared runtime names it, or the shared Foundation. A program
/// in C names only Foundation, because its constant strings have a class of Swift.
static int has_runtime_inside(struct names names) {
    int speaks_swift = 0;
    for (size_t at = 0; names.start != NULL && at < names.size; at += strlen(names.start + at) + 1) {
        const char *name = names.start + at;
        if (strcmp(name, "libswiftCore.so") == 0 || strcmp(name, "libFoundation.so") == 0) return 0;
        if (strncmp(name, "$s", 2) == 0) speaks_swift = 1;
    }
    return speaks_swift;
}

/// The first object in the list is the program itself.
static int look_at_first(struct dl_phdr_info *program, size_t size, void *answer) {
    *(int *)answer = has_runtime_inside(dynamic_names(program));
    return 1;
}

__attribute__((constructor)) static void refuse_second_runtime(void) {
    int is_refused = 0;
    dl_iterate_phdr(look_at_first, &is_refused);
    if (!is_refused) return;
    fputs("libSecurity.so: this program has Swift's runtime inside (-static-stdlib) and cannot use the shared "
          "library.\n"
          "Link it with the archive: -L<prefix>/lib/swift-keychain/static, or pkg-config swift-security-static.\n",
          stderr);
    _Exit(1);
}
