import KeychainModel
import KeychainServer
import KeychainWire
import LinuxSystem
import ServerTestSupport
import TestSupport
import Testing

@Suite("Hostile frames neither crash nor hang the server, nor cost it descriptors")
struct HostileFrameTests {
    @Test("Many of them: random bytes, sound frames with bits changed, frames cut off", arguments: [1 as UInt64, 2])
    func survives(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let server = try RunningServer()
        let reader = try Self.attack(server, full(5000, gate: 1000), &generator)
        #expect(try server.connect().ask(Frames.search("still there"))?.status == 0)
        // A pipe ends when nobody has its writing end any more: the server has closed all it was given.
        var byte: [UInt8] = [0]
        var span = byte.mutableSpan
        #expect(try reader.readFully(into: &span, deadline: soon) == 0)
    }

    /// Sends hostile frames, a quarter of them with a pipe's writing end; the result is its other end.
    private static func attack(
        _ server: RunningServer, _ count: Int, _ generator: inout SplitMix64
    ) throws -> FileDescriptor {
        let (reader, writer) = try FileDescriptor.pipe()
        for _ in 0..<count {
            let client = try server.connect()
            let isAttaching = Int.random(in: 0..<4, using: &generator) == 0
            try client.sendWhileTaken(hostile(&generator), attaching: isAttaching ? [writer] : [])
            client.finishSending()
            // This ends when the server has closed the connection, whatever it made of the bytes.
            while try client.receive() != nil {}
        }
        return reader
    }

    private static func hostile(_ generator: inout SplitMix64) -> [UInt8] {
        switch Int.random(in: 0..<4, using: &generator) {
        case 0:
            return generator.bytes(.random(in: 1...200, using: &generator))
        case 1: return mutated(sound(&generator), &generator)
        case 2:
            let frame = sound(&generator)
            return Array(frame.prefix(Int.random(in: 1..<frame.count, using: &generator)))
        default: return mutated(sound(&generator) + sound(&generator) + sound(&generator), &generator)
        }
    }

    private static func sound(_ generator: inout SplitMix64) -> [UInt8] {
        let account = String(repeating: "a", count: Int.random(in: 0...100, using: &generator))
        switch Int.random(in: 0..<6, using: &generator) {
        case 4: return authentication(account, &generator)
        case 5: return Frames.key()
        case 0: return Frames.add(account)
        case 1: return Frames.device(Bool.random(using: &generator) ? .status : .verify(from: .start))
        default: return Frames.search(account)
        }
    }

    private static func authentication(_ text: String, _ generator: inout SplitMix64) -> [UInt8] {
        let prompt = Prompt(
            reason: text, fallbackTitle: text,
            surroundings: PromptEnvironment(terminal: "/dev/pts/1", environment: ["TERM": text]))
        let inner = Frames.request(.copyMatching, account: text)
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: return Frames.authentication(.capabilities)
        case 1: return Frames.authentication(.invalidate(context: Frames.context(1)))
        case 2: return Frames.authentication(.perform(.item(inner), context: nil, prompt: prompt))
        default:
            return Frames.authentication(
                .evaluate(.control(flags: 1, .useItem), context: Frames.context(2), prompt: prompt))
        }
    }

    private static func mutated(_ frame: [UInt8], _ generator: inout SplitMix64) -> [UInt8] {
        var frame = frame
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
            let bit = Int.random(in: 0..<frame.count * 8, using: &generator)
            frame[bit / 8] ^= 1 << (bit % 8)
        }
        return frame
    }
}

extension RawClient {
    /// Sends bytes to a server that may close at any of them.
    func sendWhileTaken(_ bytes: [UInt8], attaching descriptors: [FileDescriptor]) throws {
        do { try send(bytes, attaching: descriptors) } catch let error as SystemError where error.isEndOfConnection {}
    }
}
