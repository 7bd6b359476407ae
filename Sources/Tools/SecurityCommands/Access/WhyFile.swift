import CommandOptions
import Glibc
import KeychainClient
import KeychainModel
import KeychainWire
import LinuxSystem

/// `why FILE`: what keeps a protected file closed.
struct WhyFile {
    private let file: Argument
    private let program: String
    private let session: Session
    private static let call = "why"

    init(_ file: Argument, _ arguments: ParsedArguments, _ session: Session) throws(CommandFailure) {
        let isSearch = arguments.values.contains { $0.letter != "F" }
        guard !isSearch else { throw .usage("a file takes --as alone") }
        // Files are opened by a program of its own, which has groups of its own.
        let usual = InstalledPrograms.find("keychain-file") ?? ""
        (self.file, self.session, program) = (file, session, arguments.value("F")?.text ?? usual)
    }

    func run() throws(CommandFailure) {
        let request = AccessRequest.whyFile(program: program, try read())
        guard case .fileExplanation(let explanation) = try session.access(request, Self.call) else {
            throw .refused(call: Self.call, .malformed("the explanation"))
        }
        let report = FileReport(file.text, explanation)
        if session.writesJSON { return session.output.write(report.json) }
        session.output.write(report.text)
    }

    private func read() throws(CommandFailure) -> FileToExplain {
        do throws(SystemError) {
            let opened = try FileDescriptor.open(file.text, O_RDONLY | O_NONBLOCK)
            let status = try FileStatus(of: opened)
            guard status.isRegularFile else {
                throw SystemError(code: EINVAL, call: "open", advice: "it is not a regular file")
            }
            return FileToExplain(
                size: UInt64(clamping: status.size), head: try opened.read(at: 0, count: FileToExplain.headBytes))
        } catch { throw CommandFailure(file.text, error) }
    }
}

/// The explanation of a file, as a person reads it and as a program does.
private struct FileReport {
    private let file: String
    private let explanation: FileExplanation

    init(_ file: String, _ explanation: FileExplanation) { (self.file, self.explanation) = (file, explanation) }

    var text: String {
        let groups = explanation.groups.isEmpty ? "none" : explanation.groups.joined(separator: ", ")
        let lines = [
            "file:    \(file)", "claims:  \(claim)", "program: \(explanation.program)", "groups:  \(groups)",
            "shelf:   \(shelf)", "opening: \(outcome)",
        ]
        return (lines.map(\.printable) + ["", "What to do:", "  \(step)".printable]).joined(separator: "\n") + "\n"
    }

    private var claim: String {
        explanation.claim.map { "class \($0.protection.letter), shelf \($0.shelf.text)" } ?? "nothing"
    }

    private var shelf: String {
        guard let shelf = explanation.shelf else {
            if explanation.claim == nil || explanation.refusal?.rule == .noShelf { return "none" }
            return explanation.refusal?.rule == .damaged ? "damaged" : "not shown"
        }
        let place = shelf.place
        var parts = ["group \(place.binding.group)"]
        if !place.name.isEmpty { parts.append("name \(place.name.quoted)") }
        if place.binding.accessibility.isThisDeviceOnly { parts.append("this device only") }
        if AccessControl.asksTheUser(place.binding.control) { parts.append("asks the user") }
        parts.append("made \(made(shelf))")
        return parts.joined(separator: ", ")
    }

    private func made(_ shelf: ShelfDescription) -> String {
        CalendarDate(secondsSinceReferenceDate: Double(shelf.made)).iso8601
    }

    private var outcome: String {
        guard let refusal = explanation.refusal else { return "nothing keeps it closed" }
        if refusal.status == .authNeeded { return "asks the user first" }
        let name = StatusNames.name(of: refusal.status.rawValue) ?? "\(refusal.status.rawValue)"
        return "\(name), \(refusal.rule.rawValue): \(refusal.problem)"
    }

    private var step: String {
        guard let refusal = explanation.refusal else {
            return "If reading fails, look at the content: security file verify."
        }
        if refusal.status == .authNeeded {
            return "Let the program ask, or give it an LAContext that was evaluated."
        }
        return refusal.commandRemedy
    }

    var json: JSONValue {
        .object([
            ("file", .string(file)), ("program", .string(explanation.program)),
            ("groups", .array(explanation.groups.map { .string($0) })),
            ("class", explanation.claim.map { .string($0.protection.letter) } ?? .null),
            ("shelf", explanation.claim.map { .string($0.shelf.text) } ?? .null),
            ("place", explanation.shelf.map(json) ?? .null),
            ("refusal", explanation.refusal.map(WhyReport.json) ?? .null),
        ])
    }

    private func json(of shelf: ShelfDescription) -> JSONValue {
        .object([
            ("group", .string(shelf.place.binding.group)), ("name", .string(shelf.place.name)),
            ("thisDevice", .boolean(shelf.place.binding.accessibility.isThisDeviceOnly)),
            ("asks", .boolean(AccessControl.asksTheUser(shelf.place.binding.control))),
            ("made", .string(made(shelf))),
        ])
    }
}
