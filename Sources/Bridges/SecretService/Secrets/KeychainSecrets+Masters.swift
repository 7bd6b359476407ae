import KeychainClient
import KeychainModel
import KeychainWire
import LinuxSystem

/// The master secrets of applications in sandboxes, by which the applications encrypt their own files. They are in no
/// collection, so no client of the bus finds them.
extension KeychainSecrets {
    private static let portal = "org.freedesktop.impl.portal.Secret"

    /// The secret of an application; nil when there is none.
    ///
    /// - Throws: `errSecInteractionNotAllowed` before the first unlock; `store.damaged` where it may be damaged.
    func masterSecret(of application: String) throws(Refusal) -> SecretBytes? {
        var builder = ItemRequestBuilder(.copyMatching)
        try begin(&builder)
        try builder.set("svce", .string(Self.portal))
        try builder.set("acct", .string(application))
        try builder.set("r_Data", .boolean(true))
        builder.missNothing()
        return try send(try builder.build()).first?.attributes.secret(.valueData)
    }

    /// Gives an application its secret, for ever: of two that come at once, both get the one that was first.
    ///
    /// - Parameter note: a comment, by which ``deleteUnchangedMasters(withNote:)`` finds it.
    func addMasterSecret(
        _ secret: SecretBytes, of application: String, note: String? = nil
    ) throws(Refusal) {
        var builder = ItemRequestBuilder(.add)
        try begin(&builder)
        if let note { try builder.set("icmt", .string(note)) }
        try builder.set("svce", .string(Self.portal))
        try builder.set("acct", .string(application))
        try builder.set("labl", .string("Application key for \(application)"))
        try builder.set("pdmn", .string(Accessibility.afterFirstUnlock.code))
        try secret.withSpan { (bytes) throws(Refusal) in try builder.set("v_Data", data: bytes) }
        let request = try builder.build()
        do throws(Refusal) { _ = try ready().send(request) } catch {
            guard error.status == .duplicateItem else { throw error }
        }
    }

    /// Deletes the secrets that an import has brought. The older keyring, from which they came, still has them.
    func deleteUnchangedMasters(withNote note: String) throws(Refusal) {
        for item in try noted(note, service: Self.portal) {
            guard let reference = item.reference, item.date(.creationDate) == item.date(.modificationDate) else {
                continue
            }
            try delete(reference)
        }
    }
}
