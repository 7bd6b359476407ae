import CLinux
import Glibc

/// The current process.
package enum CurrentProcess {
    package static var identifier: Int32 { getpid() }
    package static var parent: Int32 { getppid() }
    /// The effective user, as a daemon sees it on a socket.
    package static var user: UInt32 { geteuid() }
    /// The effective group, as a daemon sees it on a socket.
    package static var group: UInt32 { getegid() }
    package static var realGroup: UInt32 { getgid() }

    /// Whether the kernel marks this program: it was started with more rights than its user has, or its effective group
    /// is not the user's group.
    ///
    /// The user who starts such a program controls its environment and the files in the user's folders, and must gain
    /// nothing by that. This property is the only definition of such programs.
    package static var isMarked: Bool { clinux_has_more_than_its_user() != 0 || group != realGroup }

    /// Drops the group that the kernel gave only to the executed program: programs that this process executes later do
    /// not have it.
    ///
    /// - Throws: `SystemError` of `setresgid`.
    static func giveUpGroup() throws(SystemError) {
        let group = realGroup
        _ = try retrying("setresgid") { clinux_set_group(group) }
    }

    /// Replaces this program by another one in the same process. It has the environment and the standard streams, but
    /// not the group of a marked program.
    ///
    /// - Parameter arguments: its command line, the name first; none may contain a zero.
    /// - Throws: `SystemError` of `setresgid` or `execv`; when this returns at all, the other program was not started.
    package static func become(_ path: String, _ arguments: [SecretBytes]) throws(SystemError) -> Never {
        try giveUpGroup()
        var words: [UnsafeMutablePointer<CChar>?] = unsafe arguments.map { word in
            let copy = unsafe calloc(word.count + 1, 1)
            word.withSpan { span in
                for index in span.indices {
                    unsafe copy?.storeBytes(of: span[index], toByteOffset: index, as: UInt8.self)
                }
            }
            return unsafe copy?.bindMemory(to: CChar.self, capacity: word.count + 1)
        }
        unsafe words.append(nil)
        unsafe execv(path, &words)
        let code = errno
        unsafe words.forEach { unsafe free($0) }
        throw SystemError(code: code, call: "execv", advice: path)
    }
}
