import Glibc
package import KeychainModel
package import KeychainPolicy
import KeychainServer
package import KeychainWire
package import LinuxSystem
import TestSupport

/// An engine's stand-in: it answers every request at once, unless a test holds it back, and remembers what it saw.
package final class StandIn: RequestHandler {
    package enum Kind: CaseIterable, Sendable {
        case search
        /// A search on a thread of its own.
        case listing
        case write
        case device
        case key
        /// A request that may ask the user; held until it is released or withdrawn.
        case prompt
        /// A look at groups for somebody who watches them.
        case look
    }

    package struct Seen: Sendable {
        /// The ids of the searches, in the order of their answers.
        package var searches: [UInt32] = []
        /// And of those on threads of their own.
        package var listings: [UInt32] = []
        /// Where each of their turns went on.
        package var places: [UInt64] = []
        /// How many lookups came late.
        package var late = 0
        /// The callers of the writes, in the order in which they were performed.
        package var writers: [String] = []
        /// The ids of the writes, commit by commit.
        package var batches: [[UInt32]] = []
        package var devices: [DeviceRequest] = []
        /// The callers.
        package var deviceCallers: [CallerIdentity] = []
        package var keys: [KeyRequest] = []
        /// The ids of what may ask the user.
        package var prompts: [UInt32] = []
        /// How many conversations were withdrawn.
        package var withdrawn = 0
        /// How often it was asked for a checkpoint if one is due.
        package var checkpoints = 0
        /// How often a requestReader was told that its loop sleeps, and that a turn has ended.
        package var endedTransactions = 0
        package var turns = 0
        package var maintained = 0
        /// The contents of the memory files of device requests.
        package var passcodes: [String] = []
        /// How often groups were looked at for somebody who watches them.
        package var looks = 0
        /// And of these how many have begun.
        package var begunLooks = 0
        var held: Set<Kind> = []
        /// So many withdrawals find no prompt yet.
        var missed = 0
    }

    private static let mostItems: UInt32 = 5000
    private let seen = Monitor(Seen())

    package init() {}

    /// The calls that it saw so far.
    package var record: Seen { seen.update { $0 } }

    /// Makes every request of these kinds that comes from now on wait for ``release()``.
    package func hold(_ kinds: Set<Kind>) { seen.update { $0.held = kinds } }
    /// Makes so many withdrawals come before their prompt.
    package func miss(_ withdrawals: Int) { seen.update { $0.missed = withdrawals } }
    package func release() { seen.update { $0.held = [] } }

    /// Waits until it has seen something.
    package func waits(until condition: (Seen) -> Bool) -> Bool {
        seen.wait(deadline: soon) { condition($0) ? true : nil } ?? false
    }

    package func makeItemReader() -> Reader { Reader(self) }

    /// Moved by tests.
    package let stateEpoch = StateEpoch()

    /// Moved by ``change(_:)``, and by tests.
    package let groupEpoch = StateEpoch()
    private let changed = Lock<[String: UInt64]>([:])

    /// Something has changed in a group.
    package func change(_ group: String) {
        changed.withLock { $0[group, default: 0] += 1 }
        groupEpoch.advance()
    }

    /// Of groups with names that begin so nobody hears.
    package static let foreign = "foreign"

    package func numbers(of watch: GroupWatch, for caller: CallerIdentity) throws(Refusal) -> [GroupNumber] {
        note(.look) { $0.begunLooks += 1 }
        // After the look: a change that a test makes then is seen by the next one.
        defer { seen.update { $0.looks += 1 } }
        let foreign = watch.seen.first { $0.group.hasPrefix(Self.foreign) }
        if let foreign { throw Refusal(.missingEntitlement, .foreignGroup, foreign.group, "Foreign.", do: "Ask.") }
        return watch.seen.map { known in
            GroupNumber(group: known.group, number: 7 + changed.withLock { $0[known.group, default: 0] })
        }
    }

    package func news() -> DeviceStateChange { DeviceStateChange(epoch: stateEpoch.value, status: StandIn.status) }

    package func write(_ batch: [Write]) {
        note(.write) {
            $0.batches.append(batch.map(\.id))
            $0.writers += batch.map(\.caller.program)
        }
        for write in batch { Self.answer(write.request, from: write.caller, id: write.id, into: write.writer) }
    }

    package func device(
        _ request: DeviceRequest, passcodes: [FileDescriptor], from caller: CallerIdentity, id: UInt32,
        by deadline: Deadline, into writer: ResponseWriter
    ) {
        let texts = passcodes.map { (try? $0.text()) ?? "unreadable" }
        note(.device) {
            $0.devices.append(request)
            $0.deviceCallers.append(caller)
            $0.passcodes += texts
        }
        writer.answer(id) { buffer in
            if request == .status { StandIn.status.append(to: buffer) }
            if case .verify = request { VerificationPage().append(to: buffer) }
        }
    }

    /// Makes a key of the binding alone, and signs an input with the caller's program.
    package func key(
        _ request: KeyRequest, from caller: CallerIdentity, id: UInt32, into writer: ResponseWriter
    ) {
        note(.key) { $0.keys.append(request) }
        let reply: KeyReply =
            switch request {
            case .make(let binding):
                .key(
                    SealedKey(
                        backend: .software, origin: .madeInside, keyType: 73, bits: 256, binding: binding,
                        publicKey: [4], sealed: [1]))
            case .use(_, let use):
                .output(SecretBytes(copying: (use.input + Array(caller.program.utf8)).span))
            case .file: .file(.done)
            }
        writer.answer(id) { reply.append(to: $0) }
    }

    /// Says that a finger was shown.
    package func authentication(
        _ request: AuthenticationRequest, password: FileDescriptor?, from caller: CallerIdentity,
        _ conversation: PromptCancellation, id: UInt32, by deadline: Deadline, into writer: ResponseWriter
    ) {
        guard case .evaluate(_, let identifier, _) = request else {
            let none = AuthenticationCapabilities(biometry: .none, passcodeIsSet: false)
            return writer.answer(id) { if case .capabilities = request { none.append(to: $0) } }
        }
        if record.missed > 0 {
            try? conversation.begin(in: AuthenticationContext(identifier: identifier, caller: []))
        }
        note(.prompt) { $0.prompts.append(id) }
        let result = AuthenticationResult(factors: .biometry, enrolment: [])
        writer.answer(id) { result.append(to: $0) }
    }

    package func withdraw(_ conversation: PromptCancellation) {
        _ = conversation.end()
        seen.update { seen in
            seen.withdrawn += 1
            if seen.missed == 0 { seen.held.remove(.prompt) } else { seen.missed -= 1 }
        }
    }

    package func checkpointIfDue() { seen.update { $0.checkpoints += 1 } }
    package func maintain() { seen.update { $0.maintained += 1 } }

    /// The answer to ``DeviceRequest/status``.
    package static let status = DeviceStatus(
        protection: .softwareOnly, lockState: .unlocked, passcodeIsSet: false, failedAttempts: 0, retryAfter: 0,
        deployment: "stand-in", location: "nowhere", enclave: "none")

    fileprivate func note(_ kind: Kind, _ change: (inout Seen) -> Void) {
        seen.update(change)
        _ = seen.wait(deadline: soon) { $0.held.contains(kind) ? nil : true }
    }

    /// An item with the attributes of the query and the caller's program as its label. A limit asks for that many of
    /// it.
    fileprivate static func answer(
        _ request: ItemRequest, from caller: CallerIdentity, id: UInt32, into writer: ResponseWriter
    ) {
        writer.begin(id: id)
        var count: UInt32 = 1
        if case .atMost(let limit) = request.limit { count = min(limit, mostItems) }
        for _ in 0..<count {
            writer.beginItem(request.itemClass ?? .genericPassword)
            request.query.storage.withSpan { storage in
                for entry in request.query.entries {
                    let bytes = storage.extracting(entry.offset..<entry.offset + entry.length)
                    writer.buffer.append(entry.id, entry.kind, bytes)
                }
            }
            writer.buffer.append(.label, .string(caller.program))
            writer.endItem()
        }
        writer.end()
    }

    /// Whether a lookup of this name comes late: the first does.
    private func isLate() -> Bool {
        seen.update { seen in
            seen.late += 1
            return seen.late == 1
        }
    }

    /// Where a search that is called a long one goes on: it finds nothing in its first turn, which lasts until others
    /// wait.
    private static func place(
        after place: SearchPlace?, in request: ItemRequest, by deadline: Deadline, _ isDue: () -> Bool
    ) -> SearchPlace? {
        guard request.query[.account]?.string == "long", place == nil else { return nil }
        eventually(by: deadline, isDue)
        return SearchPlace(after: 1)
    }

    package final class Reader: RequestReader {
        private let standIn: StandIn
        fileprivate init(_ standIn: StandIn) { self.standIn = standIn }

        package func endTransaction() { standIn.seen.update { $0.endedTransactions += 1 } }
        package func endIfOutdated() { standIn.seen.update { $0.turns += 1 } }

        package func read(
            _ request: ItemRequest, from caller: CallerIdentity, id: UInt32, by deadline: Deadline,
            into writer: ResponseWriter
        ) {
            standIn.note(.search) { $0.searches.append(id) }
            StandIn.answer(request, from: caller, id: id, into: writer)
        }

        package func read(
            _ request: ItemRequest, from caller: CallerIdentity, id: UInt32, by deadline: Deadline,
            into writer: ResponseWriter, goingOnAt place: SearchPlace?, endingTurnWhen isDue: @escaping () -> Bool
        ) -> SearchPlace? {
            standIn.note(.listing) {
                $0.listings.append(id)
                $0.places.append(place?.cursor ?? 0)
            }
            if let place = StandIn.place(after: place, in: request, by: deadline, isDue) { return place }
            StandIn.answer(request, from: caller, id: id, into: writer)
            return nil
        }

        package func lookUp(
            _ request: ItemRequest, from caller: CallerIdentity, id: UInt32, by deadline: Deadline,
            within microseconds: Int, into writer: ResponseWriter
        ) -> Bool {
            // A request with this name takes long.
            if request.query[.account]?.string == "slow" { return false }
            if request.query[.account]?.string == "late", standIn.isLate() { return false }
            read(request, from: caller, id: id, by: deadline, into: writer)
            return true
        }
    }

    package struct Write: QueuedWrite {
        let request: ItemRequest
        let caller: CallerIdentity
        let id: UInt32
        package let writer = ResponseWriter()

        package init(_ request: ItemRequest, from caller: CallerIdentity, id: UInt32, by deadline: Deadline) {
            (self.request, self.caller, self.id) = (request, caller, id)
        }
    }
}
