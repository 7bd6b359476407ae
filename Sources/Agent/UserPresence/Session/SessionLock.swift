import LinuxSystem

/// Whether the session of a user is locked, as logind says at this moment.
package enum SessionLock {
    /// False where there is no logind, or no session: nobody has locked anything there.
    ///
    /// - Parameter user: the user's number.
    package static func isOn(of user: UInt32) -> Bool {
        guard let logind = try? Logind(), let session = try? logind.findSession(of: user, watched: "") else {
            return false
        }
        return (try? logind.isLocked(session.path)) == true
    }

    /// The same for the user of this process.
    package static var isOn: Bool { isOn(of: CurrentProcess.user) }
}
