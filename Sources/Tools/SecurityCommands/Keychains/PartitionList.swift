import CommandOptions
import KeychainClient
import KeychainModel
import KeychainWire
import LinuxSystem

/// `set-key-partition-list` and its kin for passwords: accepted, without effect.
struct PartitionList {
    private static let search = "SecItemCopyMatching"

    private let arguments: ParsedArguments
    private let session: Session

    static let ofKeys = command(
        "set-key-partition-list", "Set the partition list of keys; without effect.",
        matching: KeyCriteria.options
    ) { arguments throws(CommandFailure) in
        [("class", .string(ItemClass.key.code))] + (try KeyCriteria.values(arguments))
    }

    static func ofPasswords(_ kind: PasswordKind) -> Command {
        command(
            "set-\(kind.name)-password-partition-list",
            "Set the partition list of \(kind.name) passwords; without effect.", matching: kind.matchOptions
        ) { arguments throws(CommandFailure) in
            var values: Values = [("class", .string(kind.itemClass.code))]
            for criterion in kind.criteria {
                guard let value = arguments.value(criterion.letter) else { continue }
                values.append((criterion.code, try criterion.value(of: value)))
            }
            return values
        }
    }

    /// The entries of a query.
    fileprivate typealias Values = [(code: String, value: RawValue)]
    fileprivate typealias Criteria = @Sendable (ParsedArguments) throws(CommandFailure) -> Values

    private static func command(
        _ name: String, _ summary: String, matching: [CommandOption],
        _ criteria: @escaping Criteria
    ) -> Command {
        Command(
            name, summary, synopsis: "-S identifiers [-k password] [options...] [keychain]",
            options: matching + [
                CommandOption("S", value: "identifiers", "The identifiers, with commas between them."),
                CommandOption("k", value: "password", isSecret: true, "The keychain's password."),
            ],
            notes: [
                """
                Shows every item that matches. The list decides nothing here: who may use an item is decided by the \
                program that added it.
                """
            ],
            operands: 0...Int.max
        ) { arguments, session throws(CommandFailure) in
            try PartitionList(arguments: arguments, session: session).run(criteria)
        }
    }

    private func run(_ criteria: Criteria) throws(CommandFailure) {
        guard arguments.value("S") != nil, arguments.operands.count <= 1 else { throw .usage(nil) }
        let values = try criteria(arguments)
        try session.turn(to: arguments.operands.first, "SecKeychainOpen")
        try unlock()
        let items = try found(values)
        let path = try session.shownPath(Self.search)
        for item in items { session.output.write { ItemDump.append(item, keychain: path, to: $0) } }
        session.explain("the partition list is accepted, and decides nothing.")
    }

    private func unlock() throws(CommandFailure) {
        let call = "SecKeychainUnlock"
        let status = try session.status(call)
        let prompt = "password to unlock \(session.shown(arguments.operands.first)): "
        let password = try Passcodes(session).get(arguments.value("k"), prompt: prompt)
        do throws(CommandFailure) {
            if status.passcodeIsSet {
                try Passcodes(session).send(.unlock, [password], call)
            } else if case .named(_) = session.place, password.count > 0 {
                throw CommandFailure.refused(call: call, .passwordIsEmpty)
            }
        } catch { throw error.withStatusOne }
    }

    private func found(_ values: Values) throws(CommandFailure) -> [ItemResponse.Item] {
        do throws(CommandFailure) {
            return try session.sendAll(Self.search) { () throws(Refusal) in
                var builder = ItemRequestBuilder(.copyMatching)
                for (code, value) in values { try builder.set(code, value) }
                try builder.set("sync", .string("syna"))
                try builder.set("m_Limit", .string("m_LimitAll"))
                for key in ["r_Attributes", "r_PersistentRef"] { try builder.set(key, .boolean(true)) }
                return try builder.build()
            }.items
        } catch { throw error.withStatusOne }
    }
}

extension Refusal {
    static let passwordIsEmpty = Refusal(
        .authFailed, .wrongPasscode, "password", "The password of this keychain is empty.",
        do: "Give an empty one, or set a password (security set-keychain-password).")
}
