import CSQLite
import LinuxSystem

/// A compiled statement. Blobs are read where SQLite has them; a row is valid until the next step or reset.
@safe final class Statement {
    private let handle: OpaquePointer
    private let action: String
    /// The connection must outlive its statements.
    private let database: Database
    /// Bound blobs live here, because SQLite is told that they stay where they are.
    private let bound = SecretBuffer(capacity: 512)
    /// Which parts of it are whose. Nobody else is at a statement while one is bound, which the run time need not
    /// check.
    @exclusivity(unchecked) private var pending: [(index: Int32, offset: Int, count: Int)] = []

    init(_ handle: OpaquePointer, action: String, database: Database) {
        unsafe self.handle = handle
        self.action = action
        self.database = database
    }

    deinit { unsafe sqlite3_finalize(handle) }

    /// Forgets the row, what was bound, and whether it had begun.
    func reset() {
        unsafe sqlite3_reset(handle)
        unsafe sqlite3_clear_bindings(handle)
        unsafe pending.removeAll(keepingCapacity: true)
        bound.removeAll()
    }

    func bind(integer: Int64, at index: Int32) throws(DatabaseError) {
        try check(unsafe sqlite3_bind_int64(handle, index, integer))
    }

    func bind(text: String, at index: Int32) throws(DatabaseError) {
        let transient = unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        try check(unsafe sqlite3_bind_text(handle, index, text, -1, transient))
    }

    func bind(blob: Span<UInt8>, at index: Int32) {
        unsafe pending.append((index, bound.count, blob.count))
        bound.append(blob)
    }

    /// Goes to the next row; false when there is none.
    func step() throws(DatabaseError) -> Bool {
        if unsafe !pending.isEmpty { try bindPending() }
        switch unsafe sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code: throw database.error(code, action)
        }
    }

    /// Runs a statement that gives no rows, and resets it.
    func run() throws(DatabaseError) {
        defer { reset() }
        _ = try step()
    }

    func integer(_ column: Int32) -> Int64 { unsafe sqlite3_column_int64(handle, column) }

    func text(_ column: Int32) -> String {
        unsafe sqlite3_column_text(handle, column).map { unsafe String(cString: $0) } ?? ""
    }

    enum Kind { case null, integer, blob, other }

    /// The content of a column of the row.
    func kind(_ column: Int32) -> Kind {
        switch unsafe sqlite3_column_type(handle, column) {
        case SQLITE_NULL: .null
        case SQLITE_INTEGER: .integer
        case SQLITE_BLOB: .blob
        default: .other
        }
    }

    func isNull(_ column: Int32) -> Bool { unsafe sqlite3_column_type(handle, column) == SQLITE_NULL }

    /// Lends a column's bytes where SQLite has them.
    func withBlob<Result, Failure: Error>(
        _ column: Int32, _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let start = unsafe sqlite3_column_blob(handle, column)
        let count = Int(unsafe sqlite3_column_bytes(handle, column))
        let bytes = unsafe UnsafeBufferPointer(
            start: start?.assumingMemoryBound(to: UInt8.self) ?? Self.nothing, count: start == nil ? 0 : count)
        return try body(unsafe bytes.span)
    }

    /// An address for blobs without bytes, which SQLite would otherwise take for NULL.
    private nonisolated(unsafe) static let nothing = unsafe UnsafePointer(
        UnsafeMutablePointer<UInt8>.allocate(capacity: 1))

    private func bindPending() throws(DatabaseError) {
        try bound.withSpan { span throws(DatabaseError) in
            for (index, offset, count) in unsafe pending {
                let code = unsafe span.extracting(offset..<offset + count).withUnsafeBufferPointer { bytes in
                    unsafe sqlite3_bind_blob(
                        handle, index, bytes.baseAddress ?? Self.nothing, Int32(clamping: count), nil)
                }
                try check(code)
            }
        }
        unsafe pending.removeAll(keepingCapacity: true)
    }

    private func check(_ code: Int32) throws(DatabaseError) {
        guard code == SQLITE_OK else { throw DatabaseError(code: code, action: action) }
    }
}
