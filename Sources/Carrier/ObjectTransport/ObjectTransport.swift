package import LinuxSystem
package import SyncFormat
package import SyncTransports

/// A circle in a bucket. A slot is created by `PUT` with `If-None-Match: *`, of which the store makes one winner.
///
/// A store that ignores that condition would let two machines overwrite each other, so ``found()`` tries it first.
package final class ObjectTransport: SyncTransport {
    private let store: ObjectStore
    private let circle: CircleID
    private let connections = Lock(ObjectConnections())
    private let looks: Looks

    /// Another writes the same name at this moment (409): whether it wins is known with one of the next tries.
    private static let races = 5
    /// The pages of a list, with a thousand names each, and the batches of a look.
    private static let pages = 100, batches = 1_000

    package init(_ store: ObjectStore, circle: CircleID, looks: Looks = Looks()) {
        (self.store, self.circle, self.looks) = (store, circle, looks)
    }

    /// Tries whether the store keeps the first of two that have one name.
    package func found() throws(TransportProblem) { try probe("\(circle.text)/probe") }

    /// Tries the same, and a list, before there is a circle. Nothing of it stays where this machine may delete.
    package func check() throws(TransportProblem) {
        let name = "probe/\(Randomness.bytes(16).map { String($0, radix: 16) }.joined(separator: "-"))"
        _ = try slots()
        try probe(name)
        _ = try send(ObjectRequest(store: store, method: "DELETE", place: "/\(name)"))
    }

    private func probe(_ name: String) throws(TransportProblem) {
        _ = try create(name, [1])
        let second = try create(name, [2])
        let there = try get(name)
        guard !second, there == [1] || there == [2] else {
            throw .refused("the store ignores If-None-Match: two machines would overwrite each other")
        }
    }

    package func commit(_ bytes: [UInt8], in slot: SyncSlot) throws(TransportProblem) -> Commitment {
        try slot.check(bytes, of: circle)
        for _ in 0..<Self.races {
            if try create(slot.text, bytes) {
                looks.noteCommit(slot)
                return .done
            }
            if let there = try get(slot.text) { return there == bytes ? .done : .occupied(there) }
            // It was discarded in between.
        }
        return .occupied(nil)
    }

    package func discard(_ slots: [SyncSlot]) throws(TransportProblem) {
        for slot in slots where slot.circle == circle {
            let answer = try send(ObjectRequest(store: store, method: "DELETE", place: "/\(slot.text)"))
            guard [200, 204, 404].contains(answer.status) else { throw answer.refusal }
        }
    }

    package func read(_ slot: SyncSlot) throws(TransportProblem) -> [UInt8]? {
        slot.circle == circle ? try get(slot.text) : nil
    }

    package func changes(
        after heads: [MemberID: UInt64], atMost most: Int
    ) throws(TransportProblem) -> TransportChanges {
        var (changes, budget) = (TransportChanges(), ByteBudget(atMost: most, batches: Self.batches))
        for slot in try slots() {
            changes.ends[slot.device] = max(changes.ends[slot.device] ?? 0, slot.seq)
            guard slot.seq > heads[slot.device] ?? 0 else { continue }
            guard budget.hasRoom else {
                changes.isComplete = false
                continue
            }
            // One that cannot be read hinders no other.
            do throws(TransportProblem) {
                guard let bytes = try get(slot.text) else { continue }
                changes.batches.append((slot, bytes))
                budget.take(bytes)
            } catch { changes.unreadable.append(slot) }
        }
        looks.noteLook(changes.ends)
        return changes
    }

    package func wait(until deadline: Deadline) throws(TransportProblem) -> Bool { looks.wait(until: deadline) }
}

// MARK: - Requests

extension ObjectTransport {
    private func send(_ request: ObjectRequest) throws(TransportProblem) -> ObjectRequest.Answer {
        try connections.withLock { (open) throws(TransportProblem) -> ObjectRequest.Answer in
            try request.send(over: open)
        }
    }

    /// - Returns: false when something has the name already.
    private func create(_ name: String, _ bytes: [UInt8]) throws(TransportProblem) -> Bool {
        let request = ObjectRequest(
            store: store, method: "PUT", place: "/\(name)", headers: ["If-None-Match: *"], body: bytes)
        var answer = try send(request)
        for _ in 1..<Self.races where answer.status == 409 { answer = try send(request) }
        switch answer.status {
        case 200, 201, 204: return true
        case 412: return false
        default: throw answer.refusal
        }
    }

    private func get(_ name: String) throws(TransportProblem) -> [UInt8]? {
        let request = ObjectRequest(
            store: store, method: "GET", place: "/\(name)", limit: TransportLimits.slotBytes)
        let answer = try send(request)
        if answer.status == 404 { return nil }
        guard answer.status == 200 else { throw answer.refusal }
        return answer.body
    }

    /// The slots of all batches, in the order of their names, each once.
    private func slots() throws(TransportProblem) -> [SyncSlot] {
        var (slots, last, token) = ([SyncSlot](), "", String?.none)
        for _ in 0..<Self.pages {
            let page = try list(after: token)
            for name in page.values(of: "Key") where name > last {
                last = name
                if let slot = try? SyncSlot(name), slot.circle == circle, slot.part == nil { slots.append(slot) }
            }
            // A page has as many names as the store likes.
            guard slots.count <= TransportLimits.names else { throw .tooManyBatches }
            guard page.values(of: "IsTruncated").first == "true" else { return slots }
            token = page.values(of: "NextContinuationToken").first
            guard token != nil else { throw .refused("the store says that its list goes on, and not where") }
        }
        throw .tooManyBatches
    }

    /// A page of the list. Its parameters are sorted, as the signature wants them.
    private func list(after token: String?) throws(TransportProblem) -> ObjectList {
        let next = token.map { "continuation-token=\($0.percentEncoded)&" } ?? ""
        let place = "?\(next)list-type=2&prefix=\("\(circle.text)/log/".percentEncoded)"
        let answer = try send(ObjectRequest(store: store, method: "GET", place: place))
        guard answer.status == 200 else { throw answer.refusal }
        return ObjectList(answer.body)
    }
}

/// A page of a list. Only texts without references to characters are wanted: a slot's name is read strictly.
struct ObjectList {
    private let text: String
    init(_ bytes: [UInt8]) { text = String(decoding: bytes, as: UTF8.self) }

    /// The texts of all elements of a name.
    func values(of element: String) -> [String] {
        text.split(separator: "<\(element)>", omittingEmptySubsequences: false).dropFirst().compactMap {
            guard let end = $0.firstRange(of: "</\(element)>") else { return nil }
            return String($0[..<end.lowerBound])
        }
    }
}

extension TransportProblem {
    fileprivate static let tooManyBatches = Self.refused("the store has more than a hundred thousand batches")
}

extension ObjectRequest.Answer {
    /// The store's own words.
    fileprivate var refusal: TransportProblem {
        let list = ObjectList(body)
        let words = list.values(of: "Message").first ?? list.values(of: "Code").first ?? "no reason"
        return .refused("the store answers \(status): \(words.plain)")
    }
}

extension String {
    /// With `%` and two digits for all but letters, digits and `-._~`.
    fileprivate var percentEncoded: String {
        utf8.map { byte in
            let scalar = Unicode.Scalar(byte)
            let isPlain = scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
            if isPlain || "-._~".unicodeScalars.contains(scalar) { return String(scalar) }
            return "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }.joined()
    }
}
