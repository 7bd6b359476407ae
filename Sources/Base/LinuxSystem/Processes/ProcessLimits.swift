import Glibc

/// The most that this process may use, for one that reads what strangers have written. Nothing raises the limits again.
package struct ProcessLimits {
    package let memoryBytes: UInt64
    package let processorSeconds: UInt64
    package let openFiles: UInt64

    package init(memoryBytes: UInt64, processorSeconds: UInt64, openFiles: UInt64) {
        (self.memoryBytes, self.processorSeconds) = (memoryBytes, processorSeconds)
        self.openFiles = openFiles
    }

    /// Applies the limits. The process can also make no file longer.
    ///
    /// - Throws: `SystemError` of `setrlimit`.
    package func apply() throws(SystemError) {
        try Self.set(RLIMIT_AS, memoryBytes)
        try Self.set(RLIMIT_CPU, processorSeconds)
        try Self.set(RLIMIT_NOFILE, openFiles)
        try Self.set(RLIMIT_FSIZE, 0)
    }

    /// Raises the number of open files to all this process may ask for; the result is that number.
    ///
    /// - Throws: `SystemError` of `setrlimit`.
    package static func raiseOpenFilesLimit() throws(SystemError) -> Int {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard unsafe getrlimit(resource, &limit) == 0 else { throw SystemError(code: errno, call: "getrlimit") }
        limit.rlim_cur = limit.rlim_max
        guard unsafe setrlimit(resource, &limit) == 0 else { throw SystemError(code: errno, call: "setrlimit") }
        return Int(clamping: limit.rlim_cur)
    }

    private static func set(_ resource: __rlimit_resource, _ most: UInt64) throws(SystemError) {
        var limit = rlimit()
        let number = __rlimit_resource_t(resource.rawValue)
        _ = try retrying("getrlimit") { unsafe getrlimit(number, &limit) }
        let value = min(most, UInt64(limit.rlim_max))
        limit = rlimit(rlim_cur: rlim_t(value), rlim_max: rlim_t(value))
        _ = try retrying("setrlimit") { unsafe setrlimit(number, &limit) }
    }
}
