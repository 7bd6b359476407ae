import Glibc

/// The process this code runs in.
package enum CurrentProcess {
    package static var identifier: Int32 { getpid() }
    /// The effective user, as a daemon sees it on a socket.
    package static var user: UInt32 { geteuid() }
    /// The effective group, as a daemon sees it on a socket.
    package static var group: UInt32 { getegid() }
    package static var realGroup: UInt32 { getgid() }
}
