import CommandOptions
import KeychainModel
import KeychainWire

/// `verify-keychain`: walks every row and reports those that do not open.
enum VerifyKeychain {
    static let command = Command(
        "verify-keychain", "Check that every item of the keychain can be opened.", synopsis: "[keychain]",
        notes: [
            """
            Exits with 1 when something is damaged. Damaged items are reported by where they are and left alone. Items \
            that are locked now cannot be checked; they are counted. A store or vault from an earlier copy is \
            reported, and exits with 1 too; see accept-store.
            """
        ],
        operands: 0...1
    ) { arguments, session throws(CommandFailure) in
        let call = "verify-keychain"
        try session.turn(to: arguments.operands.first, call)
        let report = try verify(call, session)
        session.output.write { buffer in
            if session.writesJSON {
                report.json.append(to: buffer)
                buffer.append(utf8: "\n")
            } else {
                buffer.append(utf8: report.text)
            }
        }
        guard report.damage.isEmpty, report.file.isEmpty else {
            throw .failed(
                "the keychain is damaged",
                remedy: "Undamaged items work as before. Restore the damaged ones from a backup, or add them again.")
        }
        if report.age != .current { throw .failed("the keychain is an older one", remedy: report.age.remedy) }
    }

    private static func verify(_ call: String, _ session: Session) throws(CommandFailure) -> VerificationReport {
        let progress = session.isQuiet || session.writesJSON ? nil : Progress("checking the keychain", session)
        defer { progress?.end() }
        return try session.verification(call) { progress?.show("\($0) of \($1) items") }
    }
}

extension VerificationReport {
    fileprivate var text: String {
        var lines = ["checked: \(checked)", "damaged: \(damage.count)"]
        if locked > 0 { lines.append("locked:  \(locked) (not checked; unlock the keychain to check them)") }
        lines += damage.map { "\($0.itemClass.code) row \($0.row): \($0.problem)" }
        if !file.isEmpty { lines.append("file: \(file)") }
        if let warning = age.warning { lines.append("age: \(warning)") }
        return lines.joined(separator: "\n") + "\n"
    }

    fileprivate var json: JSONValue {
        .object([
            ("checked", .number(Int64(clamping: checked))), ("locked", .number(Int64(clamping: locked))),
            ("damaged", .array(damage.map(\.json))), ("file", file.isEmpty ? .null : .string(file)),
            ("age", .string(age.name)),
        ])
    }
}

extension VerificationReport.Damage {
    fileprivate var json: JSONValue {
        .object([("class", .string(itemClass.code)), ("row", .number(row)), ("problem", .string(problem))])
    }
}
