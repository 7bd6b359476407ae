import CommandOptions
import Glibc
import KeychainModel
import KeychainWire
import LinuxSystem

/// `identity`: the identity that the daemon gives a program, and the access groups that follow from it.
enum IdentityCommand {
    private static let call = "identity"

    static let command = Command(
        "identity", "Show how the keychain identifies a program, and its access groups.", synopsis: "[program]",
        notes: [
            """
            Without a program it shows this command itself, as the daemon sees it. A program file is shown as it would \
            be if it were started now, outside of any sandbox and service. See docs/security/identity.md.
            """
        ],
        operands: 0...1
    ) { arguments, session throws(CommandFailure) in
        let report: CallerReport
        if let program = arguments.operands.first {
            report = try session.identity(.examine, call, files: [try open(program.text)])
        } else {
            report = try session.identity(.identity, call)
        }
        if session.writesJSON { return session.output.write(report.json) }
        session.output.write(table: report.lines)
    }

    private static func open(_ path: String) throws(CommandFailure) -> FileDescriptor {
        do throws(SystemError) { return try FileDescriptor.open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY) } catch {
            throw CommandFailure(path, error)
        }
    }
}

extension CallerReport {
    fileprivate var lines: [(String, String)] {
        var lines = [("program:", program), ("identity:", words), ("anchored:", isAnchored ? "yes" : "no")]
        lines.append(("user:", "\(user)"))
        if process != 0 { lines.append(("process:", "\(process)")) }
        for (index, group) in groups.enumerated() { lines.append((index == 0 ? "groups:" : "", group)) }
        return lines
    }

    private var words: String {
        switch source {
        case "signed": "signed by team \(detail)"
        case "installed": "entitled by \(detail)"
        case "flatpak": "Flatpak application \(detail)"
        case "snap": "Snap \(detail)"
        case "unit": "system unit \(detail)"
        case "claimed": "unsigned, claims \(detail)"
        case "unsigned" where !detail.isEmpty: "unsigned; its claim opens nothing: \(detail)"
        default: source
        }
    }

    /// The same for programs to read.
    var json: JSONValue {
        .object([
            ("program", .string(program)), ("identity", .string(source)),
            ("authority", detail.isEmpty ? .null : .string(detail)), ("anchored", .boolean(isAnchored)),
            ("user", .number(Int64(user))), ("process", process == 0 ? .null : .number(Int64(process))),
            ("groups", .array(groups.map { .string($0) })),
        ])
    }
}
