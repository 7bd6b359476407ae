import Glibc

/// Whether this process was built with a sanitizer, which keeps copies of freed memory and maps terabytes of its own:
/// what is left in memory cannot be looked for then.
package enum Sanitizer {
    package static let isActive = unsafe dlsym(nil, "__asan_init") != nil || watchesThreads
    /// The thread sanitizer, whose own locks a forked child finds as the threads of its parent had them.
    package static let watchesThreads = unsafe dlsym(nil, "__tsan_init") != nil
}
