internal import KeychainClient
internal import KeychainModel
internal import KeychainWire

/// A search of `SecItemCopyMatching`, in one keychain or in those of `kSecMatchSearchList` (rule
/// keychains.list.restricts).
struct ItemSearch {
    private let request: ItemRequest
    private let matches: CertificateMatches?
    private let use: AuthenticationUse

    init(_ request: ItemRequest, _ matches: CertificateMatches?, _ use: AuthenticationUse) {
        (self.request, self.matches, self.use) = (request, matches, use)
    }

    /// One object, or an array when the limit is not one; and the first page's notice.
    ///
    /// - Throws: the refusals of the keychain. Of a list, that of a keychain which is locked or refuses the request is
    ///   the refusal of the whole. One that does not open is left out, as the notice says, where another has something.
    func run() throws(Refusal) -> (object: AnyObject?, notice: Refusal?) {
        guard case .one = request.limit else { return try many() }
        return try KeychainSession.inFirst(use) { (session, use) throws(Refusal) in
            let response =
                if let matches { try FilteredSearch(request, matches, session).run() } else {
                    try session.sendAll(request)
                }
            return (response.items.first.flatMap { ItemResult(request.returns, $0, use).object }, response.notice)
        }
    }

    private func many() throws(Refusal) -> (object: AnyObject?, notice: Refusal?) {
        guard let keychains = use.searchList else {
            let (objects, notice) = try objects(of: request, use)
            return (ItemResult.array(objects), notice)
        }
        let (objects, notice) = try objects(in: keychains)
        return (ItemResult.array(objects), notice)
    }

    /// The objects of several keychains, those of the first one first.
    private func objects(in keychains: [SecKeychain]) throws(Refusal) -> (objects: [AnyObject], notice: Refusal?) {
        var found: (objects: [AnyObject], notice: Refusal?)?
        var misses = ListMisses()
        for keychain in keychains {
            guard let request = rest(after: found?.objects.count ?? 0) else { break }
            do throws(Refusal) {
                let part = try objects(of: request, use.of(keychain))
                found = ((found?.objects ?? []) + part.objects, found?.notice ?? part.notice)
            } catch {
                // Unlocked, it would be in the array.
                if error.rule == .locked { throw error }
                try misses.take(error)
            }
        }
        guard let found else { throw misses.refusal }
        return (found.objects, found.notice ?? misses.notice)
    }

    /// The request with the limit that is left; nil when there is nothing left.
    private func rest(after count: Int) -> ItemRequest? {
        guard case .atMost(let limit) = request.limit else { return request }
        guard count < limit else { return nil }
        var rest = request
        rest.limit = .atMost(limit - UInt32(clamping: count))
        return rest
    }

    private func objects(
        of request: ItemRequest, _ use: AuthenticationUse
    ) throws(Refusal) -> (objects: [AnyObject], notice: Refusal?) {
        try KeychainSession.asking(use) { (session) throws(Refusal) in
            guard let matches else { return try Enumeration(session, use).objects(of: request) }
            let response = try FilteredSearch(request, matches, session).run()
            return (response.items.compactMap { ItemResult(request.returns, $0, use).object }, response.notice)
        }
    }
}
