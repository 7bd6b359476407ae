import Glibc

/// Whether this process was built with a sanitizer, which keeps copies of freed memory and maps terabytes of its own: what is
/// left in memory cannot be looked for then.
package enum Sanitizer {
    package static let isActive = ["__asan_init", "__tsan_init"].contains { unsafe dlsym(nil, $0) != nil }
}
