import CCounters

/// The counted work of an operation: no other load on the machine changes it.
struct Counts: Equatable {
    var clientAllocations = 0
    var engineAllocations = 0
    var statements = 0
    var roundTrips = 0
    var requestBytes = 0
    var replyBytes = 0
    /// Rows that statements have given.
    var rows = 0
    /// The bytes that the machines of a circle have sent.
    var slotBytes = 0

    /// The names the budgets have for them.
    static let fields: [(name: String, path: any WritableKeyPath<Counts, Int> & Sendable)] = [
        ("allocations of the client", \.clientAllocations), ("allocations of the engine", \.engineAllocations),
        ("statements", \.statements), ("round trips", \.roundTrips), ("bytes of requests", \.requestBytes),
        ("bytes of replies", \.replyBytes),
    ]

    /// Those that are counted for a search by an index: also the rows that it opens.
    static var ofIndex: [(name: String, path: any WritableKeyPath<Counts, Int> & Sendable)] {
        fields + [("rows", \.rows)]
    }

    /// Those that are counted for an item of a circle: what it takes more in the store.
    static var ofCircle: [(name: String, path: any WritableKeyPath<Counts, Int> & Sendable)] {
        fields.filter { $0.name == "statements" }
    }

    /// Those that are counted for machines of a circle.
    static let ofMachines: [(name: String, path: any WritableKeyPath<Counts, Int> & Sendable)] = [
        ("statements", \.statements), ("rows", \.rows), ("requests", \.roundTrips), ("bytes sent", \.slotBytes),
    ]

    /// The usual counts of an operation that is done many times: the median of each.
    ///
    /// - Parameter prepare: what is done before each call and not counted; its result is handed to the call.
    static func usual<Input>(
        over connection: CountingConnection, prepare: (Int) throws -> Input, _ operation: (Input) throws -> Void
    ) throws -> Counts {
        // Caches, pools and tables fill up first.
        let all = try (0..<120).map { index in
            let input = try prepare(index)
            connection.counts = Counts()
            let (allocations, statements) = (counters_allocations(), counters_statements())
            let rows = counters_rows()
            try operation(input)
            var counts = connection.counts
            counts.clientAllocations = Int(counters_allocations() - allocations) - counts.engineAllocations
            counts.statements = Int(counters_statements() - statements)
            counts.rows = Int(counters_rows() - rows)
            return counts
        }
        var usual = Counts()
        for (_, path) in ofIndex { usual[keyPath: path] = all.suffix(100).map { $0[keyPath: path] }.sorted()[50] }
        return usual
    }
}
