package import KeychainModel
package import LinuxSystem
import ObjectTransport
import PostgresTransport
package import SyncFormat
package import SyncTransports

/// The transport of a circle's place.
package enum CarrierPlace {
    /// - Parameter secret: what this machine shows there (``PlaceSecret``); nil where nothing is kept for the place.
    /// - Returns: for a place that cannot be used as it is, a transport that says why.
    /// - Throws: `errSecParam` for what is no place of this release.
    package static func transport(
        _ place: String, circle: CircleID, me: MemberID, secret: SecretBytes?
    ) throws(Refusal) -> any SyncTransport {
        switch SyncPlace(place) {
        case .folder(let path): return FolderTransport(path, circle: circle)
        case .server(let url):
            guard let secret = secret.flatMap({ PlaceSecret(server: $0) }) else {
                return UnusableTransport(.noSecret)
            }
            do throws(TransportProblem) {
                return try server(url, circle, me, secret)
            } catch { return UnusableTransport(error) }
        case .bucket(let url):
            guard let secret else { return UnusableTransport(.noKeys) }
            do throws(TransportProblem) { return try bucket(url, circle, secret) } catch {
                return UnusableTransport(error)
            }
        case nil: throw unusable(place)
        }
    }

    /// The messages of pairings at a place. Machines pair over folders alone.
    ///
    /// - Throws: `errSecParam` for another place.
    package static func pairings(_ place: String) throws(Refusal) -> any PairingPlace {
        guard case .folder(let path)? = SyncPlace(place) else { throw unusable(place) }
        return FolderPairings(path)
    }

    /// The transport of a machine that looks for its circle with nothing but a recovery key: it reads alone.
    ///
    /// - Throws: as ``transport(_:circle:me:secret:)``.
    static func visited(
        _ place: SyncPlace, _ circle: CircleID, _ secret: SecretBytes?
    ) throws(Refusal) -> any SyncTransport {
        guard case .server(let url) = place, let secret = secret.flatMap({ PlaceSecret(server: $0) }) else {
            return try transport(place.text, circle: circle, me: .none, secret: secret)
        }
        do throws(TransportProblem) {
            return PostgresTransport.visitor(
                try PostgresAddress(url), circle: circle, invitation: secret.invitation)
        } catch { return UnusableTransport(error) }
    }

    /// A bucket as a machine with these keys reaches it.
    ///
    /// - Throws: ``TransportProblem`` for a URL that is none, or keys that are none.
    static func bucket(
        _ url: String, _ circle: CircleID, _ secret: SecretBytes
    ) throws(TransportProblem) -> ObjectTransport {
        guard let keys = BucketKeys(secret) else {
            throw .refused("an access key and a secret key have a line each, of printable letters")
        }
        let store = try ObjectStore(place: url, accessKey: keys.access, secretKey: keys.secret)
        return ObjectTransport(store, circle: circle)
    }

    /// A server as a machine with this secret reaches it.
    ///
    /// - Throws: ``TransportProblem`` for a URL that is none, or that asks for less than a verified connection.
    static func server(
        _ url: String, _ circle: CircleID, _ me: MemberID, _ secret: PlaceSecret
    ) throws(TransportProblem) -> PostgresTransport {
        PostgresTransport(
            try PostgresAddress(url), circle: circle, device: me, token: secret.token, invitation: secret.invitation)
    }

    private static func unusable(_ place: String) -> Refusal {
        let scheme = place.prefix { $0 != ":" }
        return Refusal(
            .param, .wrongValue, String(scheme), "A circle's batches cannot be kept at such a place in this release.",
            do: "Use a folder that all machines have, by its absolute path, a PostgreSQL server, or a bucket.")
    }
}

extension TransportProblem {
    fileprivate static let noKeys = Self.refused(
        "this machine has no keys for the bucket any more: leave the circle, and join it again")

    fileprivate static let noSecret = Self.refused(
        "this machine has no token for the server any more: leave the circle, and join it again")
}

/// A transport of a place that cannot be used until somebody changes something.
private struct UnusableTransport: SyncTransport {
    private let problem: TransportProblem

    init(_ problem: TransportProblem) { self.problem = problem }

    func found() throws(TransportProblem) { throw problem }
    func commit(_ bytes: [UInt8], in slot: SyncSlot) throws(TransportProblem) -> Commitment { throw problem }
    func discard(_ slots: [SyncSlot]) throws(TransportProblem) { throw problem }
    func changes(after heads: [MemberID: UInt64], atMost most: Int) throws(TransportProblem) -> TransportChanges {
        throw problem
    }
    func read(_ slot: SyncSlot) throws(TransportProblem) -> [UInt8]? { throw problem }
    func admit(_ newcomer: MemberID, tokenHash: [UInt8]) throws(TransportProblem) { throw problem }
    func wait(until deadline: Deadline) throws(TransportProblem) -> Bool { throw problem }
}
