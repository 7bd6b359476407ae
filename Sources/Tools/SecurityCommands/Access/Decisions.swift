import CommandOptions
import Glibc
import KeychainClient
import KeychainModel
import KeychainWire
import LinuxSystem

/// `decisions`: the latest requests to the keychain, their programs, and the rule that decided each.
enum Decisions {
    static let command = Command(
        "decisions", "Show who asked the keychain for what lately, and what was decided.", synopsis: "[-f]",
        options: [CommandOption("f", word: "follow", "Go on and show what is decided from now on, until interrupted.")],
        notes: [
            """
            Each line has the time, the status, the program with its process, what it called, the class, the access \
            group and the rule that spoke; never a value or another attribute. The daemon keeps the last 2048 while it \
            runs.
            """
        ]
    ) { arguments, session throws(CommandFailure) in
        var next: UInt64 = 0
        repeat {
            let page = try page(after: next, session)
            showPage(page, session)
            if arguments.has("f"), page.next == next { pause(session) }
            guard page.next != next || arguments.has("f") else { return }
            next = page.next
        } while session.output.failure == nil
    }

    private static func page(after number: UInt64, _ session: Session) throws(CommandFailure) -> DecisionPage {
        guard case .decisions(let page) = try session.access(.decisions(after: number), "decisions") else {
            throw .refused(call: "decisions", .malformed("the decisions"))
        }
        return page
    }

    /// Half a second is what a person does not feel and a daemon does not notice.
    private static func pause(_ session: Session) {
        session.flush()
        usleep(500_000)
    }

    private static func showPage(_ page: DecisionPage, _ session: Session) {
        if page.lost > 0 { session.explain("\(page.lost) decisions are no longer in the log.") }
        for entry in page.entries {
            if session.writesJSON { session.output.write(entry.json) } else { session.output.write(entry.line + "\n") }
        }
    }
}

extension DecisionEntry {
    fileprivate var line: String {
        let about = [itemClass?.code, groups.isEmpty ? nil : groups.joined(separator: ",")].compactMap { $0 }
        let text =
            "\(CalendarDate(secondsSinceReferenceDate: time).iso8601) \(outcome) \(program)[\(process)] \(operation)"
            + about.map { " \($0)" }.joined() + (rule.isEmpty ? "" : " \(rule)")
        return text.printable
    }

    private var outcome: String { status == 0 ? "ok" : StatusNames.name(of: status) ?? "\(status)" }

    fileprivate var json: JSONValue {
        .object([
            ("number", .number(Int64(clamping: number))),
            ("time", .string(CalendarDate(secondsSinceReferenceDate: time).iso8601)),
            ("status", .number(Int64(status))), ("rule", rule.isEmpty ? .null : .string(rule)),
            ("program", .string(program)), ("process", .number(Int64(process))), ("user", .number(Int64(user))),
            ("provenance", .string(provenance)), ("anchored", .boolean(isAnchored)), ("operation", .string(operation)),
            ("class", itemClass.map { .string($0.code) } ?? .null), ("groups", .array(groups.map { .string($0) })),
        ])
    }
}

extension Session {
    /// Asks something about access, with the passcode where there is one.
    func access(
        _ request: AccessRequest, _ call: String, passcodes: [FileDescriptor] = []
    ) throws(CommandFailure) -> AccessReply {
        guard case .access(let reply) = try device(.access(request), call, passcodes: passcodes) else {
            throw .refused(call: call, .malformed("the answer about access"))
        }
        return reply
    }
}
