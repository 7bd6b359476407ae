import KeychainClient
import KeychainModel
import KeychainWire

/// Items that programs of the desktop have stored in the keychain, and the service from before does not have.
enum DesktopItems {
    /// So many are named, the newest of all.
    private static let mostNamed = 20

    /// Names them, and refuses to leave them behind.
    ///
    /// - Throws: ``CommandFailure`` where there is one, and where nobody can say, before the first unlock.
    static func check(_ session: Session) throws(CommandFailure) {
        let items = try session.items("setup") { () throws(Refusal) in
            var builder = ItemRequestBuilder(.copyMatching)
            try builder.set("class", .string(LookupAttributes.itemClass.code))
            try builder.set("m_Limit", .string("m_LimitAll"))
            try builder.set("r_Attributes", .boolean(true))
            builder.inspectAllGroups()
            return try builder.build()
        }
        let own = items.filter { $0.isOfDesktop && !$0.isRecord && !$0.isAsImported }
        guard !own.isEmpty else { return }
        if !session.writesJSON {
            for item in own.suffix(mostNamed) {
                session.output.write(session.text("in the keychain alone: “\(item.name)”").printable + "\n")
            }
        }
        throw .failed(
            "\(own.count) items of desktop programs are in the keychain alone",
            remedy: """
                Copy what you need with secret-tool or seahorse before the undo. With --without-export they stay in \
                the keychain, and `security setup desktop` brings them back.
                """)
    }
}

extension ItemResponse.Item {
    private static let service = "org.freedesktop.secrets"

    fileprivate var isOfDesktop: Bool {
        let group = attributes[.accessGroup]?.string ?? ""
        return group == AccessGroup.secretService || AccessGroup.isOfSandboxedSecrets(group)
    }

    /// Whether it is the name of a collection.
    fileprivate var isRecord: Bool { attributes[.service]?.string == Self.service }

    /// Whether the service from before has it too.
    fileprivate var isAsImported: Bool {
        guard let comment = attributes[.comment]?.string, KeyringImport(rawValue: comment) != nil else { return false }
        return attributes[.creationDate] == attributes[.modificationDate]
    }
}
