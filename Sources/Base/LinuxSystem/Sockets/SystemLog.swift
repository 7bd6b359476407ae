internal import CLinux

/// The system's log, for messages of a library to the administrator: syslog(3).
package enum SystemLog {
    /// Writes a warning; without a log it is lost.
    package static func warn(_ text: String) {
        unsafe text.withCString { unsafe clinux_warn($0) }
    }
}
