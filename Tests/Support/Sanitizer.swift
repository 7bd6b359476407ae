import Glibc

/// Whether this process was built with a sanitizer, which keeps copies of freed memory and maps terabytes of its own: what is
/// left in memory cannot be looked for then.
package enum Sanitizer {
    package static let isActive = unsafe dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil
}
