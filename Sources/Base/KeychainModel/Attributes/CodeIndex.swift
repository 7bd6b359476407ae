/// A hash index from codes to the rows of a table.
///
/// It is faster to make and to search than a `Dictionary`, which would noticeably delay a short command.
struct CodeIndex {
    private let codes: [String]
    /// Row numbers from 1, each at the place of its hash or at the next free one; 0 is free.
    private var rows = [UInt8](repeating: 0, count: 2 * mostRows)

    /// At most half of the places are taken, which keeps searches short.
    private static let mostRows = 128

    /// - Parameter codes: the codes of all rows in their order, each once.
    init(_ codes: [String]) {
        precondition(codes.count <= Self.mostRows, "more rows than there is room for")
        self.codes = codes
        for (row, code) in codes.enumerated() {
            let place = place(of: code)
            precondition(rows[place] == 0, "two rows have the code \(code)")
            rows[place] = UInt8(row + 1)
        }
    }

    /// The number of the row with this code.
    subscript(code: String) -> Int? {
        let row = rows[place(of: code)]
        return row == 0 ? nil : Int(row) - 1
    }

    /// The place of a code, or the free place for it.
    private func place(of code: String) -> Int {
        var place = Self.wish(code)
        while rows[place] != 0, codes[Int(rows[place]) - 1] != code { place = (place + 1) % rows.count }
        return place
    }

    /// FNV-1a; its topmost bits depend on all bytes.
    private static func wish(_ code: String) -> Int {
        var code = code
        let hash = code.withUTF8 { bytes in
            unsafe bytes.reduce(0x811C_9DC5 as UInt32) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
        }
        return Int(hash >> 24)
    }
}
