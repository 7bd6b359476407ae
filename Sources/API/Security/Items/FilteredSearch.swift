internal import KeychainClient
internal import KeychainCrypto
internal import KeychainModel
internal import KeychainWire

/// A search that looks into certificates. It fetches all items page by page. Only matching items count towards the
/// limit.
struct FilteredSearch {
    private let request: ItemRequest
    private let matches: CertificateMatches
    private var walk: IssuerWalk
    private let session: any KeychainConnection
    private var found: [ItemResponse.Item] = []

    init(_ request: ItemRequest, _ matches: CertificateMatches, _ session: any KeychainConnection) {
        (self.request, self.matches, self.session) = (request, matches, session)
        walk = IssuerWalk(session)
    }

    /// The matching items, at most the request's limit, and the first page's notice.
    ///
    /// - Throws: `errSecItemNotFound` when none matches; the refusals of the keychain.
    func run() throws(Refusal) -> ItemResponse {
        var search = self
        return try search.collect()
    }

    private mutating func collect() throws(Refusal) -> ItemResponse {
        var page = request
        page.limit = .all
        // A reference contains the certificate.
        page.returns.insert(.reference)
        var response = try session.send(page)
        let deadline = session.deadlineOfWhole
        try take(response.items)
        let notice = response.notice
        while response.cursor != 0, wantsMore {
            page.cursor = response.cursor
            response = try session.send(page, by: deadline)
            try take(response.items)
        }
        guard !found.isEmpty else { throw Self.nothing(request) }
        (response.items, response.cursor, response.notice) = (found, 0, notice)
        return response
    }

    private var wantsMore: Bool {
        switch request.limit {
        case .one: found.isEmpty
        case .all: true
        case .atMost(let count): found.count < count
        }
    }

    private mutating func take(_ items: [ItemResponse.Item]) throws(Refusal) {
        for item in items where wantsMore {
            guard let certificate = Certificate(of: item), try matches.admit(certificate, &walk) else { continue }
            found.append(item)
        }
    }

    private static func nothing(_ request: ItemRequest) -> Refusal {
        Refusal(
            .itemNotFound, .notFound, request.effectiveClass?.code ?? "",
            "No certificate of the caller's groups meets the conditions of the kSecMatch keys.",
            do: "Leave out one at a time to find the one that excludes the certificate.")
    }
}
