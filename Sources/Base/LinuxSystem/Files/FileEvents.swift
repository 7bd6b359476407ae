import Glibc

/// Changes of files and folders, as the kernel reports them (inotify). It reports what this machine does: what another
/// machine changes on a file system of the network goes unseen.
package struct FileEvents: Sendable {
    /// Readable when something has changed, until ``clear()``.
    package let descriptor: FileDescriptor

    /// - Throws: `SystemError` of `inotify_init1`: this user has no more of them.
    package init() throws(SystemError) {
        let flags = CInt(IN_CLOEXEC | IN_NONBLOCK)
        descriptor = FileDescriptor(owning: try retrying("inotify_init1") { inotify_init1(flags) })
    }

    /// Watches a file or folder, from now on. Watching it again changes nothing.
    ///
    /// - Parameter changes: `IN_CREATE` and the like.
    /// - Throws: `SystemError` of `inotify_add_watch`.
    package func watch(_ path: String, for changes: CInt) throws(SystemError) {
        do throws(SystemError) {
            _ = try retrying("inotify_add_watch") {
                unsafe inotify_add_watch(descriptor.number, path, UInt32(bitPattern: changes))
            }
        } catch { throw SystemError(code: error.code, call: error.call, advice: path) }
    }

    /// Forgets what has changed so far.
    ///
    /// - Throws: `SystemError` of `read`.
    package func clear() throws(SystemError) {
        var room = [UInt8](repeating: 0, count: 4096)
        var span = room.mutableSpan
        while try descriptor.read(into: &span) != nil {}
    }
}
