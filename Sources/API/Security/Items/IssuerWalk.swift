internal import KeychainClient
internal import KeychainCrypto
internal import KeychainModel
internal import KeychainWire

/// Goes from certificates to their issuers through the keychain, by normalised names. Each name is looked up once.
struct IssuerWalk {
    /// The limit of Apple's engine (rule queries.match-keys.issuers).
    static let mostSteps = 10

    private let session: any KeychainConnection
    private var known: [[UInt8]: [Certificate]] = [:]

    init(_ session: any KeychainConnection) { self.session = session }

    /// Whether one of the names is the issuer of a certificate or stands above it.
    ///
    /// - Throws: the refusals of the keychain.
    mutating func leads(from certificate: Certificate, to names: [[UInt8]]) throws(Refusal) -> Bool {
        var isFound = false
        try climb(from: certificate) { name in
            isFound = names.contains(name)
            return !isFound
        }
        return isFound
    }

    /// The certificates in the keychain that may stand above a certificate.
    ///
    /// - Throws: the refusals of the keychain.
    mutating func issuers(above certificate: Certificate) throws(Refusal) -> [Certificate] {
        var names: [[UInt8]] = []
        try climb(from: certificate) { name in
            names.append(name)
            return true
        }
        return names.flatMap { known[$0] ?? [] }
    }

    /// Visits the names above a certificate, nearest first, each once, until `visit` says no.
    private mutating func climb(from certificate: Certificate, _ visit: ([UInt8]) -> Bool) throws(Refusal) {
        var (level, seen): ([[UInt8]], Set<[UInt8]>) = ([certificate.issuer.normalized], [])
        for _ in 0..<Self.mostSteps where !level.isEmpty {
            var next: [[UInt8]] = []
            for name in level where seen.insert(name).inserted {
                guard visit(name) else { return }
                next += try subjects(named: name).map(\.issuer.normalized)
            }
            level = next
        }
    }

    private mutating func subjects(named name: [UInt8]) throws(Refusal) -> [Certificate] {
        if let found = known[name] { return found }
        var builder = ItemRequestBuilder(.copyMatching)
        for (key, value) in [
            ("class", .string(ItemClass.certificate.code)), ("subj", .data(name)), ("sync", .string("syna")),
            ("m_Limit", .string("m_LimitAll")), ("r_Data", .boolean(true)),
        ] as [(String, RawValue)] {
            try builder.set(key, value)
        }
        let found = try Self.certificates(session, try builder.build())
        known[name] = found
        return found
    }

    private static func certificates(
        _ session: any KeychainConnection, _ request: ItemRequest
    ) throws(Refusal) -> [Certificate] {
        do throws(Refusal) { return try session.sendAll(request).items.compactMap { Certificate(of: $0) } } catch {
            guard error.status == .itemNotFound else { throw error }
            return []
        }
    }
}
