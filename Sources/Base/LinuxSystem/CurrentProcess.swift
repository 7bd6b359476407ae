import Glibc

/// The process this code runs in.
package enum CurrentProcess {
    package static var identifier: Int32 { getpid() }
    /// The effective user, as a daemon sees it on a socket.
    package static var user: UInt32 { geteuid() }
    /// The effective group, as a daemon sees it on a socket.
    package static var group: UInt32 { getegid() }
    package static var realGroup: UInt32 { getgid() }

    /// Runs another program in place of this one, in the same process, with its environment and standard streams.
    ///
    /// - Parameter arguments: its command line, the name first; none may contain a zero.
    /// - Throws: `SystemError` of `execv`; when this returns at all, nothing has happened.
    package static func become(_ path: String, _ arguments: [SecretBytes]) throws(SystemError) -> Never {
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
