import CCounters
import KeychainModel

/// The work of two machines in a circle, which is to be that of the change and not that of the keychain.
enum CircleOperations {
    private static let items = 1000

    /// Counts it.
    ///
    /// - Parameter folder: for the keychains of both.
    static func count(in folder: String) throws -> [Operations.Counted] {
        let place = CountedPlace()
        let (first, second) = (
            try CountedMachine("first", in: folder, place), try CountedMachine("second", in: folder, place)
        )
        func counted(_ name: String, _ body: () throws -> Void) rethrows -> Operations.Counted {
            let before = (counters_statements(), counters_rows(), place.requests, place.bytes)
            try body()
            var counts = Counts()
            counts.statements = Int(counters_statements() - before.0)
            counts.rows = Int(counters_rows() - before.1)
            (counts.roundTrips, counts.slotBytes) = (place.requests - before.2, place.bytes - before.3)
            let name = "\(items) items on two machines: \(name)"
            return Operations.Counted(name: name, counts: counts, fields: Counts.ofMachines)
        }
        try first.write((0..<items).map { "account \($0)" }, .add)
        try first.begin()
        let sent = try counted("all are sent", first.send)
        try first.add(second)
        try first.send()
        let read = try counted("all are read", second.read)
        for machine in [second, first, second, first] {
            try machine.send()
            try machine.read()
        }
        try first.write(["account 1"], .update)
        return [
            sent, read, try counted("a change is sent", first.send), try counted("a change is read", second.read),
            try counted("a look without news", second.read), try counted("nothing is to be sent", second.send),
        ]
    }
}
