import KeychainClient
import KeychainModel
import KeychainWire

/// Releases as the command shows them: this command's, and that of the daemon which answers it.
enum ReleaseLines {
    private static let own = Release.current

    /// The lines of `--version`. Nothing is started for it, and no keychain is made.
    static func show(_ session: Session) throws(CommandFailure) {
        let running = try session.running().map { $0.release() }
        if session.writesJSON { return session.output.write(.object(json(of: running))) }
        session.output.write(Release.text("security", "protocol \(FrameHeader.version)") + "\n")
        guard let running else { return session.output.write("keychaind does not run\n") }
        session.output.write("keychaind \(line(of: running))\n")
        if running?.version != own { session.output.write("\(difference)\n") }
    }

    /// The lines of `status`.
    static func lines(of daemon: Release?, isService: Bool) -> [(String, String)] {
        let both = [("version:", "security \(own), keychaind \(line(of: daemon))")]
        if daemon?.version == own { return both }
        return both + [("", difference), ("", isService ? whenTheServiceGoes : whenItGoes)]
    }

    /// The members of `--json`: of a daemon that does not run nothing, of one that cannot tell its release no version.
    static func json(of daemon: Release??) -> [(key: String, value: JSONValue)] {
        let told = daemon.map { release in
            JSONValue.object([
                ("version", release.map { .string($0.version) } ?? .null),
                ("since", release.map { .string(since($0)) } ?? .null),
            ])
        }
        return [("version", .string(own)), ("daemon", told ?? .null)]
    }

    private static func line(of daemon: Release?) -> String {
        guard let daemon else { return "of a release before 0.5.0" }
        return "\(daemon.version), running since \(since(daemon))"
    }

    private static func since(_ release: Release) -> String {
        CalendarDate(secondsSinceReferenceDate: Double(release.since - secondsUntilReferenceDate)).iso8601
    }

    /// From 1970 to 2001.
    private static let secondsUntilReferenceDate: Int64 = 978_307_200

    private static let difference = "The command and the daemon are of different releases."
    private static let whenItGoes =
        "The daemon ends when nobody has been connected for five minutes; the next program starts the installed one."
    private static let whenTheServiceGoes =
        "A keychain's daemon ends when nobody has been connected for five minutes; the others with their services."
}
