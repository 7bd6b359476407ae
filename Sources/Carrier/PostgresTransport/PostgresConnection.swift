import CPostgres
import Glibc
import LinuxSystem
import SyncTransports

/// A connection to a server, for one thread at a time. It never blocks past a deadline.
///
/// The thread that makes it is done with it when another one gets it, which is what makes it safe to send there.
@safe final class PostgresConnection: @unchecked Sendable {
    private let connection: OpaquePointer

    /// A parameter of a query.
    enum Value {
        case bytes([UInt8])
        case text(String)
    }

    /// Connects to the first host that answers; each has a share of the time.
    ///
    /// - Throws: ``TransportProblem/unreachable(_:)`` with the reason of the last.
    static func open(_ address: PostgresAddress, until deadline: Deadline) throws(TransportProblem)
        -> PostgresConnection
    {
        var problem = TransportProblem.unreachable("the URL names no server")
        for (number, host) in address.hosts.enumerated() {
            let share = deadline.share(of: address.hosts.count - number)
            do throws(TransportProblem) { return try connect(to: host, until: share) } catch { problem = error }
        }
        throw problem
    }

    /// Connects on a thread of its own. A server that asks for a password chooses how many rounds its proof (SCRAM)
    /// takes, up to 2³¹. libpq computes them at once, for an hour, and nothing interrupts it. The thread is left behind
    /// then, and closes the connection when libpq has come back.
    private static func connect(
        to host: [String: String], until deadline: Deadline
    ) throws(TransportProblem) -> PostgresConnection {
        guard connecting.withLock({ $0.begin(host) }) else {
            throw .unreachable("the server has kept earlier connections waiting, which compute still")
        }
        let outcome = Monitor<Result<PostgresConnection, TransportProblem>?>(nil)
        do throws(SystemError) {
            _ = try Thread(named: "connection") {
                let made = attempt(host, until: deadline)
                outcome.update { $0 = made }
                connecting.withLock { $0.end(host) }
            }
        } catch {
            connecting.withLock { $0.end(host) }
            throw .system(error)
        }
        guard let made = outcome.wait(deadline: deadline, { $0 }) else {
            throw .unreachable("the server did not answer in time")
        }
        return try made.get()
    }

    private static func attempt(
        _ host: [String: String], until deadline: Deadline
    ) -> Result<PostgresConnection, TransportProblem> {
        do throws(TransportProblem) { return .success(try PostgresConnection(host, until: deadline)) } catch {
            return .failure(error)
        }
    }

    private static let connecting = Lock(Connecting())

    /// The threads that connect to each host: one for rounds, one for notifications, and as many that are left behind.
    private struct Connecting {
        private static let most = 4
        private var counts: [[String: String]: Int] = [:]

        mutating func begin(_ host: [String: String]) -> Bool {
            guard counts[host, default: 0] < Self.most else { return false }
            counts[host, default: 0] += 1
            return true
        }

        mutating func end(_ host: [String: String]) {
            let rest = counts[host, default: 1] - 1
            counts[host] = rest > 0 ? rest : nil
        }
    }

    private init(_ host: [String: String], until deadline: Deadline) throws(TransportProblem) {
        try Self.checkSocket(host)
        let options = host.sorted { $0.key < $1.key }
        let started = unsafe withCStrings(options.map(\.key)) { keys in
            unsafe withCStrings(options.map(\.value)) { values in unsafe PQconnectStartParams(keys, values, 0) }
        }
        guard let connection = unsafe started else { throw .system(SystemError(code: ENOMEM, call: "PQconnectStart")) }
        unsafe self.connection = connection
        // Words of a server are no output of this program.
        unsafe PQsetNoticeProcessor(connection, { _, _ in }, nil)
        try finish(until: deadline)
        guard unsafe PQsetnonblocking(connection, 1) == 0 else { throw problem }
    }

    /// A socket has no certificate: where any user may make it, it is one's server only by the name of its user.
    private static func checkSocket(_ host: [String: String]) throws(TransportProblem) {
        guard host["requirepeer"] == nil, let place = host["host"], place.hasPrefix("/") || place.hasPrefix("@") else {
            return
        }
        let status: FileStatus?
        do throws(SystemError) { status = try FileStatus(at: place) } catch { throw .system(error) }
        guard place.hasPrefix("@") || (status?.mode ?? 0) & S_IWOTH != 0 else { return }
        throw .refused(
            "any user of this machine may have a socket at \(place.plain): name the server's user by requirepeer")
    }

    deinit { unsafe PQfinish(connection) }

    private func finish(until deadline: Deadline) throws(TransportProblem) {
        var readiness = Readiness.writable
        while true {
            try wait(for: readiness, until: deadline)
            switch unsafe PQconnectPoll(connection) {
            case PGRES_POLLING_OK: return
            case PGRES_POLLING_READING: readiness = .readable
            case PGRES_POLLING_WRITING: readiness = .writable
            default: throw problem
            }
        }
    }

    /// Whether the other end is gone.
    var hasEnded: Bool { unsafe PQstatus(connection) == CONNECTION_BAD }

    /// The reason why the connection is of no use any more.
    private var problem: TransportProblem {
        if unsafe PQconnectionNeedsPassword(connection) == 1 {
            return .unreachable("the server wants a password: put it into ~/.pgpass, with mode 0600")
        }
        let words = unsafe PQerrorMessage(connection).map { unsafe String(cString: $0) } ?? ""
        let text = String(words.split(separator: "\n").first ?? "the connection was closed")
        guard text.contains("root certificate file") || text.contains("certificate verify failed") else {
            return .unreachable(text)
        }
        return .unreachable("\(text): name the file of the server's authorities in the URL, by sslrootcert=FILE")
    }

    /// Waits for the socket, which libpq keeps.
    private func wait(for readiness: Readiness, until deadline: Deadline) throws(TransportProblem) {
        let number = unsafe PQsocket(connection)
        guard number >= 0 else { throw problem }
        do throws(SystemError) {
            try FileDescriptor(owning: number) { _ in }.wait(for: readiness, deadline: deadline)
        } catch {
            throw error.code == ETIMEDOUT ? .unreachable("the server did not answer in time") : .system(error)
        }
    }
}

// MARK: - Queries

extension PostgresConnection {
    /// A row of an answer: the bytes of its columns, in PostgreSQL's binary form; nil for NULL.
    typealias Row = [[UInt8]?]

    /// Asks one query.
    ///
    /// - Throws: ``TransportProblem/refused(_:)`` or ``TransportProblem/noEntrance(_:)`` with the server's words, or
    ///   what ends the connection.
    func query(_ text: String, _ values: [Value] = [], until deadline: Deadline) throws(TransportProblem) -> [Row] {
        // Row by row, so that one can stop.
        guard send(text, values), unsafe PQsetSingleRowMode(connection) == 1 else { throw problem }
        return try answer(until: deadline)
    }

    /// Runs several statements as one transaction.
    func run(_ statements: String, until deadline: Deadline) throws(TransportProblem) {
        guard unsafe PQsendQuery(connection, statements) == 1 else { throw problem }
        _ = try answer(until: deadline)
    }

    /// The most that an answer may have, in bytes.
    private static let answerBytes = 64 << 20

    private func answer(until deadline: Deadline) throws(TransportProblem) -> [Row] {
        try flush(until: deadline)
        var (rows, count, refusal) = ([Row](), 0, TransportProblem?.none)
        while let result = unsafe try nextResult(until: deadline) {
            defer { unsafe PQclear(result) }
            switch unsafe PQresultStatus(result) {
            case PGRES_TUPLES_OK, PGRES_SINGLE_TUPLE: unsafe rows += self.rows(of: result, &count)
            case PGRES_COMMAND_OK, PGRES_EMPTY_QUERY: break
            case PGRES_FATAL_ERROR: unsafe refusal = refusal ?? self.refusal(of: result)
            default: throw .unreachable("the server answers something else than was asked")
            }
            guard count <= Self.answerBytes, !deadline.hasPassed else {
                throw .unreachable("the server's answer does not end")
            }
        }
        if let refusal { throw refusal }
        return rows
    }

    /// Waits for notifications, and takes all that have come.
    ///
    /// - Returns: whether there was one of a channel, and whether there was one of others.
    func notifications(
        own channel: String, until deadline: Deadline
    ) throws(TransportProblem) -> (own: Bool, others: Bool) {
        var heard = (own: false, others: false)
        while true {
            guard unsafe PQconsumeInput(connection) == 1 else { throw problem }
            while !deadline.hasPassed || heard == (false, false), let notification = unsafe PQnotifies(connection) {
                let isOwn = unsafe notification.pointee.relname.map { unsafe String(cString: $0) } == channel
                unsafe PQfreemem(notification)
                heard = (heard.own || isOwn, heard.others || !isOwn)
            }
            if heard != (false, false) { return heard }
            do throws(TransportProblem) { try wait(for: .readable, until: deadline) } catch {
                if deadline.hasPassed { return heard }
                throw error
            }
        }
    }

    private func send(_ text: String, _ values: [Value]) -> Bool {
        let bytes = values.map { value in
            switch value {
            case .bytes(let bytes): bytes + [0]
            case .text(let text): Array(text.utf8) + [0]
            }
        }
        let lengths = bytes.map { CInt($0.count - 1) }
        let formats = values.map { value in if case .bytes = value { CInt(1) } else { CInt(0) } }
        return unsafe withCStrings(bytes) { pointers in
            unsafe PQsendQueryParams(connection, text, CInt(values.count), nil, pointers, lengths, formats, 1) == 1
        }
    }

    private func flush(until deadline: Deadline) throws(TransportProblem) {
        while true {
            switch unsafe PQflush(connection) {
            case 0: return
            case 1:
                // The server may have to get rid of its answer before it reads on.
                try wait(for: [.readable, .writable], until: deadline)
                guard unsafe PQconsumeInput(connection) == 1 else { throw problem }
            default: throw problem
            }
        }
    }

    private func nextResult(until deadline: Deadline) throws(TransportProblem) -> OpaquePointer? {
        while unsafe PQisBusy(connection) == 1 {
            // Data that never ends keeps the socket ready.
            guard !deadline.hasPassed else { throw .unreachable("the server's answer does not end") }
            try wait(for: .readable, until: deadline)
            guard unsafe PQconsumeInput(connection) == 1 else { throw problem }
        }
        return unsafe PQgetResult(connection)
    }

    private func rows(of result: OpaquePointer, _ bytes: inout Int) -> [Row] {
        let columns = unsafe 0..<PQnfields(result)
        // Small rows take more than their bytes, and columns without a value do too.
        unsafe bytes += Int(PQntuples(result)) * (256 + 64 * columns.count)
        return unsafe (0..<PQntuples(result)).map { row in
            columns.map { column in
                guard unsafe PQgetisnull(result, row, column) == 0, let start = unsafe PQgetvalue(result, row, column)
                else { return nil }
                let count = unsafe Int(PQgetlength(result, row, column))
                bytes += count
                return unsafe Array(UnsafeRawBufferPointer(start: start, count: count))
            }
        }
    }

    /// Classes of SQLSTATE that say nothing about the request: a connection that breaks, an operator that intervenes.
    private static let passing = ["08", "57"]
    /// The class of SQLSTATE for a caller that is not let in.
    private static let noEntrance = "28"

    private func refusal(of result: OpaquePointer) -> TransportProblem {
        // libpq's own errors have no fields: its connection is of no use any more.
        guard let message = unsafe PQresultErrorField(result, CInt(UInt8(ascii: "M"))) else { return problem }
        let words = unsafe String(cString: message).plain
        let state = unsafe PQresultErrorField(result, CInt(UInt8(ascii: "C"))).map { unsafe String(cString: $0) } ?? ""
        if state.hasPrefix(Self.noEntrance) { return .noEntrance(words) }
        return Self.passing.contains(where: state.hasPrefix) ? .unreachable(words) : .refused(words)
    }
}

/// Gives C pointers to strings that end with a zero, and a null pointer behind the last.
private func withCStrings<Result>(_ strings: [[UInt8]], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Result)
    -> Result
{
    let all = strings.flatMap { $0.map { CChar(bitPattern: $0) } }
    return unsafe all.withUnsafeBufferPointer { buffer in
        var (pointers, offset) = unsafe ([UnsafePointer<CChar>?](), 0)
        for string in strings {
            unsafe pointers.append(buffer.baseAddress.map { unsafe $0 + offset })
            offset += string.count
        }
        unsafe pointers.append(nil)
        return unsafe pointers.withUnsafeBufferPointer { unsafe body($0.baseAddress!) }
    }
}

private func withCStrings<Result>(_ strings: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Result)
    -> Result
{
    unsafe withCStrings(strings.map { Array($0.utf8) + [0] }, body)
}

extension Deadline {
    /// The part of the time that is left, where so many share it.
    fileprivate func share(of count: Int) -> Deadline {
        guard let left = remainingNanoseconds else { return self }
        return .after(milliseconds: Int(clamping: left / UInt64(max(count, 1)) / 1_000_000))
    }
}
