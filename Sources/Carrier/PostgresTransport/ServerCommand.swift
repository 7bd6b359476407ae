package import CommandOptions
import SyncFormat
package import SyncTransports

/// The work of `keychain-sync-server`: an administrator makes a server ready for circles, and looks after it.
package struct ServerCommand {
    package static let table = ProgramOptions(
        "keychain-sync-server",
        """
        Makes a PostgreSQL server ready to carry the batches of synchronised keychains, and looks after it. Its \
        administrator starts it, as a superuser of the server.
        """,
        options: [
            ProgramOption(
                "--server", value: "URL", .word, count: .required,
                "The database: postgresql://ROLE@HOST/DATABASE, without a password (~/.pgpass has that)."),
            ProgramOption("--install", "Bring the database to this release; nothing changes where it is there."),
            ProgramOption("--admit", value: "ROLE", .word, count: .repeated, "Let a login role have circles."),
            ProgramOption("--invite", value: "ROLE", .word, "Print an invitation for a new circle of a role's."),
            ProgramOption(
                "--room", value: "MIB", .number(1...1 << 20),
                "With --invite: what the circle's batches may have together. Default: \(defaultRoom)."),
            ProgramOption(
                "--days", value: "DAYS", .number(1...3650),
                "With --invite: how long it can be taken. Default: \(defaultDays)."),
            ProgramOption(
                "--circle", value: "CIRCLE", .word,
                """
                With --invite: the invitation lets a machine into this circle of the role's, whose machines are all \
                lost, by the circle's recovery key.
                """),
            ProgramOption("--circles", "List the circles: tenant, machines, MiB, MiB of the quota, last commit."),
            ProgramOption("--json", "With --circles: an object of JSON for each."),
            ProgramOption("--help", "Show this text."),
            ProgramOption("--version", "Show the release of the program."),
        ],
        notes: "Several of these are done in this order. An invitation is used once, and is as good as a password.")

    package static let schemaVersion = ServerSchema.version
    private static let defaultRoom: UInt64 = 64
    private static let defaultDays: UInt64 = 7

    private let given: ProgramArguments
    /// The circle that an invitation is to let a machine into; nil for a new one.
    private let circle: CircleID?

    /// - Throws: for a command line that asks for nothing, or for something with half of what it takes.
    package init(_ given: ProgramArguments) throws(WrongCommandLine) {
        self.given = given
        guard given.has("--server") else { throw WrongCommandLine("--server is missing: it names the database.") }
        guard ["--install", "--admit", "--invite", "--circles"].contains(where: given.has) else {
            throw WrongCommandLine("Nothing is asked for: --install, --admit, --invite or --circles.")
        }
        guard given.has("--invite") || !["--room", "--days", "--circle"].contains(where: given.has) else {
            throw WrongCommandLine("--room, --days and --circle are those of an invitation: --invite ROLE is missing.")
        }
        circle = try given.text("--circle").map { (word) throws(WrongCommandLine) in
            guard let circle = CircleID(text: word) else {
                throw WrongCommandLine("--circle takes the circle's number, which has 32 hexadecimal digits.")
            }
            return circle
        }
        guard circle == nil || !given.has("--room") else {
            throw WrongCommandLine("--room is that of a new circle: one that is there keeps its own.")
        }
    }

    /// Does what is asked for, and gives the lines to print.
    ///
    /// - Throws: ``TransportProblem``.
    package func run() throws(TransportProblem) -> [String] {
        let server = try ServerInstallation(try PostgresAddress(given.text("--server") ?? ""))
        if given.has("--install") { try server.install() }
        for role in given.all("--admit") { try server.admit(role) }
        var lines: [String] = []
        if let role = given.text("--invite") { lines.append(try invitation(role, server)) }
        if given.has("--circles") { lines += try server.circles().map { given.has("--json") ? $0.json : $0.line } }
        return lines
    }

    private func invitation(_ role: String, _ server: borrowing ServerInstallation) throws(TransportProblem) -> String {
        let (room, days) = (given.number("--room") ?? Self.defaultRoom, given.number("--days") ?? Self.defaultDays)
        let bytes =
            if let circle { try server.invite(role, into: circle, days: Int(days)) } else {
                try server.invite(role, room: Int(room) << 20, days: Int(days))
            }
        return bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}

extension HostedCircleReport {
    fileprivate var line: String {
        "\(circle) \(tenant) \(machines) \(Self.mebibytes(bytes)) \(Self.mebibytes(quota)) \(used)"
    }

    /// Rounded up.
    private static func mebibytes(_ bytes: Int) -> Int { (bytes + (1 << 20) - 1) >> 20 }

    fileprivate var json: String {
        let name = tenant.unicodeScalars.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : "\($0)" }.joined()
        return "{\"circle\":\"\(circle)\",\"tenant\":\"\(name)\",\"machines\":\(machines),\"bytes\":\(bytes),"
            + "\"quota\":\(quota),\"used\":\"\(used)\"}"
    }
}
