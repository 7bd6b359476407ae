internal import CLinux

/// The system's log, for what a library has to say to whoever looks after the program: syslog(3).
package enum SystemLog {
    /// Writes a warning; without a log it goes nowhere.
    package static func warn(_ text: String) {
        unsafe text.withCString { unsafe clinux_warn($0) }
    }
}
