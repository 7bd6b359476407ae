internal import KeychainClient
internal import KeychainCrypto
internal import KeychainModel
internal import KeychainWire

/// A search that looks into certificates: everything is fetched page by page, and what does not match does not count
/// towards the limit.
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

    /// The items that match, at most as many as the request wants, and the first page's notice.
    ///
    /// - Throws: `errSecItemNotFound` when none does; what the keychain refuses.
    func run() throws(Refusal) -> ItemResponse {
        var search = self
        return try search.collect()
    }

    private mutating func collect() throws(Refusal) -> ItemResponse {
        var page = request
        page.limit = .all
        // What a reference is made of has the certificate in it.
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
            "No certificate of the caller's groups is what the kSecMatch keys ask for.",
            do: "Leave one of them out to see which rules out what you are looking for.")
    }
}
