import KeychainClient
import KeychainModel
import KeychainWire
import LinuxSystem
import SyncFormat

/// A machine's secret for its circle's server, which knows each machine by a token.
///
///     server = token:32 [invitation:32]               ; the invitation, until the server has this machine
struct PlaceSecret {
    let token: [UInt8]
    /// Empty where it was taken.
    let invitation: [UInt8]

    private static let size = 32

    /// A machine's new token.
    init(invitation: [UInt8]) { (token, self.invitation) = (Randomness.bytes(Self.size), invitation) }

    init?(server secret: SecretBytes) {
        guard [Self.size, 2 * Self.size].contains(secret.count) else { return nil }
        let bytes = secret.withSpan { $0.array(0, $0.count) }
        (token, invitation) = (Array(bytes.prefix(Self.size)), Array(bytes.dropFirst(Self.size)))
    }

    var bytes: SecretBytes { SecretBytes(copying: (token + invitation).span) }

    /// The same without the invitation.
    var founded: SecretBytes { SecretBytes(copying: token.span) }
}

/// The keys of a bucket: who a machine is to the store, and its secret.
///
///     bucket = access LF secret
struct BucketKeys {
    let access: String
    let secret: SecretBytes

    init?(_ bytes: SecretBytes) {
        let found = bytes.withSpan { span -> (String, SecretBytes)? in
            guard let end = (0..<span.count).first(where: { span[$0] == 0x0A }), end > 0, end + 1 < span.count,
                let access = span.text(0, end), access.utf8.allSatisfy({ 0x21...0x7e ~= $0 && $0 != 0x3a }),
                !(end + 1..<span.count).contains(where: { !(0x21...0x7e ~= span[$0]) })
            else { return nil }
            return (access, SecretBytes(copying: span.extracting((end + 1)...)))
        }
        guard let found else { return nil }
        (access, secret) = found
    }
}

/// Keeps a machine's secret for its circle's place in the keychain that it carries for: an item of this program's own,
/// which never leaves the device. Where there is no such item, the machine has no access to the place.
struct SecretOfPlace {
    private let connection: any KeychainConnection
    private static let service = "keychain-carrier"

    init(_ connection: any KeychainConnection) { self.connection = connection }

    /// - Throws: `errSecInteractionNotAllowed` before the first unlock.
    func find(_ place: SyncPlace) throws(Refusal) -> SecretBytes? {
        var builder = try Self.begun(.copyMatching)
        try builder.set("acct", .string(place.text))
        try builder.set("r_Data", .boolean(true))
        builder.missNothing()
        let request = try builder.build()
        do throws(Refusal) { return try connection.send(request).items.first?.attributes.secret(.valueData) } catch {
            guard error.status == .itemNotFound else { throw error }
            return nil
        }
    }

    func keep(_ secret: SecretBytes, for place: SyncPlace) throws(Refusal) {
        var builder = try Self.begun(.add)
        try builder.set("acct", .string(place.text))
        try builder.set("labl", .string("Access to a circle of machines"))
        try builder.set("pdmn", .string(Accessibility.afterFirstUnlockThisDeviceOnly.code))
        try builder.set("u_UpdateExisting", .boolean(true))
        try secret.withSpan { (bytes) throws(Refusal) in try builder.set("v_Data", data: bytes) }
        _ = try connection.send(try builder.build())
    }

    /// Deletes the secrets of all places, without a trace.
    func forget() throws(Refusal) {
        var builder = try Self.begun(.delete)
        builder.leaveNoHistory()
        let request = try builder.build()
        do throws(Refusal) { _ = try connection.send(request) } catch {
            guard error.status == .itemNotFound else { throw error }
        }
    }

    private static func begun(_ operation: ItemRequest.Operation) throws(Refusal) -> ItemRequestBuilder {
        var builder = ItemRequestBuilder(operation)
        try builder.set("class", .string(ItemClass.genericPassword.code))
        try builder.set("svce", .string(service))
        return builder
    }
}
