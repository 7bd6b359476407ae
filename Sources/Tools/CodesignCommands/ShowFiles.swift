import CodeSignature
import CommandOptions
import Glibc
import KeychainModel
import LinuxSystem
import SecurityCommands

/// `codesign --verify`.
enum VerifyFiles {
    static func verify(_ arguments: ParsedArguments, _ session: Session) throws(CommandFailure) {
        var failed = false
        for name in arguments.operands.map(\.text) {
            let verdict = try Verdict(name)
            if session.writesJSON { session.output.write(verdict.json) }
            if let problem = verdict.problem {
                failed = true
                if !session.writesJSON { session.complain("\(name): \(problem)") }
            } else if arguments.count("v") > 1 {
                session.complain("\(name): valid on disk")
            }
        }
        if failed { throw .shown }
    }
}

/// `codesign --display`: what a signature, or a team's statement, says, once it was verified.
enum DisplayFiles {
    static func display(_ arguments: ParsedArguments, _ session: Session) throws(CommandFailure) {
        var failed = false
        for name in arguments.operands.map(\.text) {
            if let statement = TeamStatement.inFile(name) {
                show(statement, name, session)
                continue
            }
            let verdict = try Verdict(name)
            if let problem = verdict.problem {
                failed = true
                if !session.writesJSON { session.complain("\(name): \(problem)") }
            }
            try show(verdict, arguments, session)
        }
        if failed { throw .shown }
    }

    private static func show(
        _ verdict: Verdict, _ arguments: ParsedArguments, _ session: Session
    ) throws(CommandFailure) {
        if session.writesJSON { return session.output.write(verdict.json) }
        guard let signature = try? verdict.outcome.get() else { return }
        if let target = arguments.value("e")?.text {
            return try OutputFile.write(signature.plist.span, to: target, session)
        }
        // Where macOS's command writes it.
        for (name, value) in signature.lines(verdict.path) { session.diagnostics.write("\(name)=\(value.printable)\n") }
    }

    private static func show(_ statement: TeamStatement, _ name: String, _ session: Session) {
        if session.writesJSON { return session.output.write(statement.json) }
        for (name, value) in [("Statement", name)] + statement.lines {
            session.diagnostics.write("\(name)=\(value.printable)\n")
        }
    }
}

/// The result of the look at a file's signature.
struct Verdict {
    let path: String
    let outcome: Result<CodeSignature?, Refusal>

    init(_ name: String) throws(CommandFailure) {
        let file = try SignedFile(name)
        (path, outcome) = (file.path, file.signature())
    }

    /// Why the signature is not to be believed; nil when it is.
    var problem: String? {
        switch outcome {
        case .success(.some): nil
        case .success(nil): "code object is not signed at all"
        case .failure(let refusal): "invalid signature (\(refusal.rule.rawValue)): \(refusal.problem) \(refusal.remedy)"
        }
    }

    var json: JSONValue {
        let file = ("file", JSONValue.string(path))
        switch outcome {
        case .success(let signature?):
            return .object([file, ("signed", .boolean(true)), ("valid", .boolean(true))] + signature.json)
        case .success(nil): return .object([file, ("signed", .boolean(false)), ("valid", .boolean(false))])
        case .failure(let refusal):
            return .object([
                file, ("signed", .boolean(true)), ("valid", .boolean(false)), ("rule", .string(refusal.rule.rawValue)),
                ("message", .string(refusal.problem)), ("remedy", .string(refusal.remedy)),
            ])
        }
    }
}

extension CodeSignature {
    fileprivate func lines(_ path: String) -> [(String, String)] {
        [
            ("Executable", path), ("Identifier", identifier), ("Format", "ELF"),
            ("CodeDigest", "sha256:\(hex(codeDigest))"),
            ("Key", key.description), ("Rotations", "\(chain.statements.count)"), ("TeamIdentifier", team.text),
        ] + entitlements.groups.map { ("AccessGroup", $0) }
    }

    fileprivate var json: [(key: String, value: JSONValue)] {
        [
            ("identifier", .string(identifier)), ("team", .string(team.text)), ("key", .string(key.description)),
            ("rotations", .number(Int64(chain.statements.count))), ("codeDigest", .string(hex(codeDigest))),
            ("groups", .array(entitlements.groups.map { .string($0) })),
            ("applicationIdentifier", entitlements.applicationIdentifier.map { .string($0) } ?? .null),
            ("requiresAnchor", .boolean(entitlements.requiresAnchor)),
            ("entitlements", .string(String(decoding: plist, as: UTF8.self))),
        ]
    }
}

extension TeamStatement {
    /// The statement in a file; nil when the file is something else.
    fileprivate static func inFile(_ path: String) -> TeamStatement? {
        guard let text = try? AtomicFile.read(path, limit: TeamKeyFile.mostBytes) else { return nil }
        return try? verify(text)
    }

    fileprivate var lines: [(String, String)] {
        let said =
            switch content {
            case .rotation(let key): [("Kind", "rotation"), ("NewKey", key.description)]
            case .handover(let from, let to): [("Kind", "handover"), ("From", from), ("To", to)]
            }
        return said + [("Key", key.description), ("Issued", "\(issued)"), ("TeamIdentifier", team.text)]
    }

    fileprivate var json: JSONValue { .object(lines.map { ($0.0.lowercased(), JSONValue.string($0.1)) }) }
}

extension TeamPublicKey {
    fileprivate var description: String { "\(algorithm.name):\(hex(bytes))" }
}

private func hex(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef")
    return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
}
