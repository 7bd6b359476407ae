import CommandOptions
import KeychainModel
import KeychainWire
import LinuxSystem

/// `set-credential`, `list-credentials` and `delete-credential`: what the system's keychain keeps for systemd units,
/// which get it by `LoadCredential=`.
///
/// A credential is a generic password: its service is the credential's name, its group the unit's.
enum UnitCredentials {
    private static let groupPrefix = "unit:"

    static let set = Command(
        "set-credential", "Store a credential of a systemd unit in the system's keychain.", synopsis: "unit name",
        notes: [
            """
            The value is asked for, twice, at the terminal; if standard input is no terminal, all of it is the value, \
            but for one line end behind a text. The unit gets it with LoadCredential=name:/run/keychaind/credentials \
            in its [Service] section. Needs root.
            """
        ],
        operands: 2...2
    ) { arguments, session throws(CommandFailure) in
        let credential = Credential(arguments.operands)
        let value = try PasswordInput(session).newItemPassword()
        session.isForSystem = true
        if try !credential.replace(with: value, session) { try credential.add(value, session) }
    }

    static let delete = Command(
        "delete-credential", "Delete a credential of a systemd unit.", synopsis: "unit name",
        notes: ["Needs root."], operands: 2...2
    ) { arguments, session throws(CommandFailure) in
        session.isForSystem = true
        _ = try session.send("delete-credential") { () throws(Refusal) in
            try Credential(arguments.operands).request(.delete) { _ throws(Refusal) in }
        }
    }

    static let list = Command(
        "list-credentials", "List the credentials of systemd units, without their values.", synopsis: "[unit]",
        notes: ["Needs root."], operands: 0...1
    ) { arguments, session throws(CommandFailure) in
        session.isForSystem = true
        let wanted = arguments.operands.first.map { Credential.unit($0.text) }
        let found = try all(session).filter { wanted == nil || $0.unit == wanted }
        if session.writesJSON {
            return session.output.write(
                .array(found.map { .object([("unit", .string($0.unit)), ("name", .string($0.name))]) }))
        }
        for credential in found { session.output.write("\(credential.unit.printable) \(credential.name.printable)\n") }
    }

    private static func all(_ session: Session) throws(CommandFailure) -> [Credential] {
        let call = "list-credentials"
        do throws(CommandFailure) {
            let response = try session.sendAll(call) { () throws(Refusal) in
                var builder = ItemRequestBuilder(.copyMatching)
                try builder.set("class", .string(ItemClass.genericPassword.code))
                try builder.set("m_Limit", .string("m_LimitAll"))
                try builder.set("r_Attributes", .boolean(true))
                builder.inspectAllGroups()
                return try builder.build()
            }
            return response.items.compactMap(Credential.init)
        } catch {
            if case .refused(_, let refusal) = error, refusal.status == .itemNotFound { return [] }
            throw error
        }
    }

    /// Whose it is and what it is called.
    private struct Credential {
        let unit: String
        let name: String

        init(_ operands: [Argument]) { (unit, name) = (Self.unit(operands[0].text), operands[1].text) }

        /// Nil for what is no unit's.
        init?(_ item: ItemResponse.Item) {
            guard let group = item.attributes[.accessGroup]?.string, group.hasPrefix(groupPrefix),
                let service = item.attributes[.service]?.string
            else { return nil }
            (unit, name) = (String(group.dropFirst(groupPrefix.count)), service)
        }

        /// A unit's whole name: as for `systemctl`, a service when it does not say what it is.
        static func unit(_ text: String) -> String { text.contains(".") ? text : text + ".service" }

        func request(
            _ operation: ItemRequest.Operation, _ more: (inout ItemRequestBuilder) throws(Refusal) -> Void
        ) throws(Refusal) -> ItemRequest {
            var builder = ItemRequestBuilder(operation)
            try builder.set("class", .string(ItemClass.genericPassword.code))
            try builder.set("svce", .string(name))
            try builder.set("agrp", .string(groupPrefix + unit))
            try more(&builder)
            return try builder.build()
        }

        func add(_ value: SecretBytes, _ session: Session) throws(CommandFailure) {
            _ = try session.send("set-credential") { () throws(Refusal) in
                try request(.add) { (builder) throws(Refusal) in
                    try builder.set("labl", .string("\(name) of \(unit)"))
                    // A unit may start whenever the machine does, once the keychain has been opened.
                    try builder.set("pdmn", .string("ck"))
                    try value.withSpan { (bytes) throws(Refusal) in try builder.set("v_Data", data: bytes) }
                }
            }
        }

        /// False when there is none yet.
        func replace(with value: SecretBytes, _ session: Session) throws(CommandFailure) -> Bool {
            do throws(CommandFailure) {
                _ = try session.send("set-credential") { () throws(Refusal) in
                    try request(.update) { (builder) throws(Refusal) in
                        try value.withSpan { (bytes) throws(Refusal) in try builder.change("v_Data", data: bytes) }
                    }
                }
                return true
            } catch {
                if case .refused(_, let refusal) = error, refusal.status == .itemNotFound { return false }
                throw error
            }
        }
    }
}
