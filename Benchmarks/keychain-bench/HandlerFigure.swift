import CYardstick
import KeychainEngine
import KeychainModel
import KeychainPolicy
import KeychainStore
import KeychainWire
import LinuxSystem

/// A request frame in, an answer frame out, without sockets: what a daemon does for a lookup.
final class SwiftHandler {
    private let itemReader: ItemReader
    private let caller: CallerIdentity
    private let writer = ResponseWriter()

    init(_ engine: KeychainEngine, for caller: CallerIdentity) throws(Refusal) {
        itemReader = try engine.makeItemReader()
        self.caller = caller
    }

    /// Answers a frame; `body` is lent the answer.
    func answer<Result>(_ frame: [UInt8], _ body: (Span<UInt8>) -> Result) throws(Refusal) -> Result {
        let span = frame.span
        guard let header = try FrameHeader(span, limit: WireLimits.requestBody) else { throw .malformed("the frame") }
        let request = try ItemRequest(decoding: SecretBytes(copying: span.extracting(FrameHeader.size...)))
        itemReader.read(request, from: caller, id: header.id, by: .never, into: writer)
        defer { writer.buffer.removeAll() }
        return writer.buffer.withSpan(body)
    }
}

/// The same in C.
@safe final class CHandler {
    private let store: OpaquePointer
    private let room: UnsafeMutableBufferPointer<UInt8>

    /// How much of the store the C daemon maps, in bytes; the product maps nothing. With more it would be larger than
    /// the product.
    static let mappedByDaemons = 16 << 20

    /// - Parameter isShared: whether other processes may change the store, as where a program embeds the keychain.
    init(folder: String, of caller: CallerIdentity, isShared: Bool = false) {
        unsafe store = yardstick_open(
            folder, caller.groups[0], isShared ? "unix" : "unix-excl", isShared ? 256 << 20 : Self.mappedByDaemons)
        unsafe room = .allocate(capacity: YARDSTICK_FRAME)
    }

    deinit {
        unsafe yardstick_close(store)
        unsafe room.deallocate()
    }

    func answer<Result>(_ frame: [UInt8], _ body: (Span<UInt8>) -> Result) -> Result {
        let size = unsafe frame.withUnsafeBufferPointer { frame in
            unsafe yardstick_handle(store, frame.baseAddress, frame.count, room.baseAddress)
        }
        return body(unsafe Span(_unsafeElements: room).extracting(..<size))
    }

    /// Reads a row by its primary key and opens all its parts; gives the size of the value, -1 when there is none.
    func pointRead(_ number: Int) -> Int { Int(unsafe yardstick_point_read(store, number)) }
}

extension Bench {
    func measureHandler() throws -> Measurement {
        let filled = try store(items: sizes.usual)
        let swift = try SwiftHandler(filled.openEngine(), for: caller)
        let c = CHandler(folder: filled.folder, of: caller)
        let frames = try (0..<4096).map { try Workload.frame(Workload.number($0, of: filled.items)) }
        for frame in frames.prefix(100) { try requireEqualAnswers(frame, swift, c) }
        let comparison = try Comparison(
            rounds: rounds(100),
            ours: medianTime(of: 500) { index in _ = try swift.answer(frames[index % 4096]) { $0.count } },
            floor: medianTime(of: 500) { index in _ = c.answer(frames[index % 4096]) { $0.count } })
        return Measurement(comparison, in: .microseconds)
    }

    /// A yardstick that does less, or something else, measures nothing.
    private func requireEqualAnswers(_ frame: [UInt8], _ swift: SwiftHandler, _ c: CHandler) throws {
        let ours = try swift.answer(frame) { $0.array(0, $0.count) }
        guard ours == c.answer(frame, { $0.array(0, $0.count) }) else {
            throw BenchError("The yardstick answers a lookup differently from the keychain.")
        }
    }
}
