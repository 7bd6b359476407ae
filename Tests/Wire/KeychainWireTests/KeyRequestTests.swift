import KeychainModel
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@Suite("Key requests on the wire")
struct KeyRequestTests {
    private static let binding = KeyBinding(group: "", accessibility: .whenUnlocked, control: 1 << 30)
    private static let key = SealedKey(
        backend: .software, origin: .imported, keyType: 42, bits: 2048, binding: binding, publicKey: [1],
        sealed: [2, 3])
    private static let use = KeyUse(
        "algid:keyexchange:ECDH:KDFX963:SHA256", [4, 5, 6], requestedSize: 32, sharedInfo: [7])
    private static let place = ShelfPlace(.complete, binding, name: "invoices")
    private static let slot = FileSlot(kind: 1, shelf: ShelfID(), wrapped: [UInt8](repeating: 7, count: 60))
    private static let claim = FileKeyClaim(file: FileID(), protection: .complete, slot: slot)
    private static let requests: [KeyRequest] = [
        .make(binding), .use(key, use), .use(key, KeyUse("", [])), .file(.make(FileID(), place)), .file(.open(claim)),
        .file(.rewrap(claim, to: place)), .file(.shelves(after: nil)), .file(.shelves(after: ShelfID())),
        .file(.deleteShelf(ShelfID())), .file(.deleteShelf(ShelfID(), everywhere: true)),
    ]

    private static func bytes(_ write: (SecretBuffer) -> Void) -> [UInt8] {
        let buffer = SecretBuffer()
        write(buffer)
        return buffer.withSpan { $0.array(0, $0.count) }
    }

    private static func refusal(_ bytes: [UInt8]) -> Refusal? {
        failure { () throws(Refusal) in try KeyRequest(decoding: SecretBytes(copying: bytes.span)) }
    }

    @Test("Every request is read as it was written", arguments: requests)
    func roundTrips(request: KeyRequest) throws {
        let bytes = Self.bytes { request.append(to: $0) }
        #expect(try KeyRequest(decoding: SecretBytes(copying: bytes.span)) == request)
    }

    @Test("A request that is unknown, cut short or goes on is refused", arguments: requests)
    func refused(request: KeyRequest) {
        let whole = Self.bytes { request.append(to: $0) }
        for length in 0..<whole.count { #expect(Self.refusal(Array(whole.prefix(length)))?.rule == .malformedFrame) }
        #expect(Self.refusal(whole + [0])?.rule == .malformedFrame)
        for code: UInt8 in [0, 4, 255] { #expect(Self.refusal([code] + whole.dropFirst())?.rule == .malformedFrame) }
    }

    @Test("Input that the enclave's channel cannot carry is refused with an explanation before it is sent")
    func tooLarge() throws {
        let over = [
            KeyUse("a", [UInt8](repeating: 0, count: KeyLimits.inputBytes + 1)),
            KeyUse("a", [], sharedInfo: [UInt8](repeating: 0, count: KeyLimits.sharedInfoBytes + 1)),
            KeyUse("a", [], requestedSize: UInt32(KeyLimits.derivedBytes) + 1),
        ]
        for use in over {
            let refusal = failure { () throws(Refusal) in try use.checkSize() }
            #expect(refusal?.rule == .tooLarge)
            #expect(refusal?.status == .param)
            let bytes = Self.bytes { KeyRequest.use(Self.key, use).append(to: $0) }
            #expect(Self.refusal(bytes)?.rule == .malformedFrame)
        }
    }

    @Test("Lengths that lie about what follows are refused, and no other bytes are taken for a length")
    func lyingLengths() throws {
        let whole = Self.bytes { Self.requests[1].append(to: $0) }
        for offset in 0..<whole.count - 3 {
            var bytes = whole
            for index in 0..<4 { bytes[offset + index] = 0xff }
            if Self.refusal(bytes)?.rule == .malformedFrame { continue }
            let request = try KeyRequest(decoding: SecretBytes(copying: bytes.span))
            #expect(Self.bytes { request.append(to: $0) } == bytes)
        }
    }

    @Test("Replies are read as they were written, and a refusal arrives as it was said")
    func replies() throws {
        let notice: [UInt8] = [0, 0, 0, 0]
        let made = notice + Self.bytes { KeyReply.key(Self.key).append(to: $0) }
        guard case .key(let key) = try Self.reply(to: Self.requests[0], made) else { throw Unexpected() }
        #expect(key == Self.key)
        let secret = SecretBytes(copying: ([1, 2, 3] as [UInt8]).span)
        let used = notice + Self.bytes { KeyReply.output(secret).append(to: $0) }
        guard case .output(let output) = try Self.reply(to: Self.requests[1], used) else { throw Unexpected() }
        #expect(output.isEqual(to: secret))
        let refusal = Refusal(.interactionNotAllowed, .locked, "ak", "Closed.", do: "Unlock.")
        let refused = Self.bytes { refusal.append(to: $0) }
        let status = refusal.status.rawValue
        #expect(failure { () throws(Refusal) in try Self.reply(to: Self.requests[0], refused, status) } == refusal)
    }

    @Test("A reply that is cut short or goes on is refused")
    func brokenReplies() {
        for (request, reply) in [
            (Self.requests[0], KeyReply.key(Self.key)),
            (Self.requests[1], .output(SecretBytes(count: 5))),
            (Self.requests[3], .file(.made(MadeFileKey(slot: Self.slot, key: SecretBytes(count: 32))))),
            (Self.requests[4], .file(.key(SecretBytes(count: 32)))), (Self.requests[5], .file(.slot(Self.slot))),
            (Self.requests[6], .file(.shelves([ShelfDescription(id: ShelfID(), place: Self.place, made: 5)]))),
            (Self.requests[8], .file(.done)),
        ] {
            let whole = [0, 0, 0, 0] + Self.bytes { reply.append(to: $0) }
            for broken in (0..<whole.count).map({ Array(whole.prefix($0)) }) + [whole + [1]] {
                let refusal = failure { () throws(Refusal) in try Self.reply(to: request, broken) }
                #expect(refusal?.rule == .malformedFrame)
            }
        }
    }

    @Test("The slots of recovery recipients come whole with a key, or not at all")
    func recoverySlots() throws {
        let recovery = FileSlot(kind: 3, shelf: ShelfID(), wrapped: [UInt8](repeating: 8, count: 80))
        func made(_ slots: [FileSlot]) -> [UInt8] {
            let made = MadeFileKey(slot: Self.slot, key: SecretBytes(count: 32), recovery: slots)
            return [0, 0, 0, 0] + Self.bytes { made.append(to: $0) }
        }
        let (short, whole) = (made([]), made([recovery, recovery]))
        for count in 0...whole.count {
            let read = Result { () throws(Refusal) in try Self.reply(to: Self.requests[3], Array(whole.prefix(count))) }
            guard case .success(.file(.made(let made))) = read else {
                #expect(count != short.count && count != whole.count)
                continue
            }
            #expect(made.recovery == (count == whole.count ? [recovery, recovery] : []))
            #expect(count == short.count || count == whole.count)
        }
        // No slot of a shelf stands there.
        #expect(failure { () throws(Refusal) in try Self.reply(to: Self.requests[3], made([Self.slot])) } != nil)
        #expect(failure { () throws(Refusal) in try Self.reply(to: Self.requests[3], short + [0]) } != nil)
    }

    private struct Unexpected: Error {}

    private static func reply(to request: KeyRequest, _ body: [UInt8], _ status: Int32 = 0) throws(Refusal) -> KeyReply
    {
        try KeyReply(to: request, status: status, body: SecretBytes(copying: body.span))
    }
}
