import KeychainModel
import KeychainPolicy
import KeychainStore
import KeychainWire
import LinuxSystem

/// How much there may be in a keychain, and of one program in it. The daemon's options set them; an embedded keychain has none,
/// for its program could write to the files as it likes.
package struct Quotas: Equatable, Sendable {
    /// Rows, tombstones among them, and the bytes of their sealed parts.
    package var items: UInt64
    package var bytes: UInt64
    /// The same for what one program wrote last.
    package var programItems: UInt64
    package var programBytes: UInt64

    package init(
        items: UInt64 = 1_000_000, bytes: UInt64 = 4 << 30, programItems: UInt64 = 200_000,
        programBytes: UInt64 = 1 << 30
    ) {
        (self.items, self.bytes) = (items, bytes)
        (self.programItems, self.programBytes) = (programItems, programBytes)
    }

    /// No limits.
    package static let none = Quotas(items: .max, bytes: .max, programItems: .max, programBytes: .max)
}

/// What the store had when it was asked last; with all that was written since it is a ceiling of what it has now.
///
/// Far from the limits, and that is where all but a few stand, the ceiling tells that a write keeps within them, and the store
/// is not asked. Belongs to one thread.
struct UsageCeilings {
    struct Reading {
        let all, owner: StoreUsage
        /// What had been written then.
        let written: StoreUsage

        /// The most there can be after so much was written.
        func ceiling(_ now: StoreUsage) -> Reading {
            Reading(all: all + (now - written), owner: owner + (now - written), written: now)
        }
    }

    /// Of the programs that wrote last.
    private var readings: [String: Reading] = [:]
    private static let most = 64
    /// No write of one row makes it larger: the row has what the request has, and little besides.
    static let mostOfOneWrite = StoreUsage(items: 1, bytes: Int64(2 * WireLimits.requestBody))

    subscript(owner: String) -> Reading? {
        get { readings[owner] }
        set {
            if readings.count >= Self.most { readings.removeAll() }
            readings[owner] = newValue
        }
    }

    /// Of no use after a transaction was undone: what was read inside it is gone.
    mutating func forget() { readings.removeAll() }
}

extension ItemWriter {
    /// Performs a write within the quotas: what would exceed one is undone with its transaction, and what makes less, or is no
    /// more than there was, is let through though a quota was lowered meanwhile.
    func withinQuotas(_ write: PendingWrite, _ body: () throws(Refusal) -> Void) throws(Refusal) {
        guard quotas != .none, write.request.operation != .delete else { return try body() }
        let owner = write.caller.owner
        let before = try known(of: owner)
        try body()
        guard !quotas.allow(before.ceiling(store.written)) else { return }
        let after = try reading()
        try quotas.check(after, before)
        keep(after, of: owner)
    }

    /// Whether a write of one row keeps within the quotas, whatever it is.
    func isFarFromQuotas(_ owner: String) -> Bool {
        guard quotas != .none else { return true }
        guard let reading = ceilings[owner] else { return false }
        return quotas.allow(reading.ceiling(store.written + UsageCeilings.mostOfOneWrite))
    }

    /// What there is at most, if that is within the quotas, or else exactly what there is.
    private func known(of owner: String) throws(Refusal) -> UsageCeilings.Reading {
        if let ceiling = ceilings[owner]?.ceiling(store.written), quotas.allow(ceiling) { return ceiling }
        let reading = try reading()
        keep(reading, of: owner)
        return reading
    }

    private func reading() throws(Refusal) -> UsageCeilings.Reading {
        let usage = try store.usage()
        return UsageCeilings.Reading(all: usage.all, owner: usage.owner, written: store.written)
    }

    /// Where others write too, nobody knows how much.
    private func keep(_ reading: UsageCeilings.Reading, of owner: String) {
        if writesAlone { ceilings[owner] = reading }
    }
}

extension Quotas {
    fileprivate func allow(_ usage: UsageCeilings.Reading) -> Bool {
        user.allows(usage.all) && program.allows(usage.owner)
    }

    fileprivate func check(
        _ usage: UsageCeilings.Reading, _ before: UsageCeilings.Reading
    ) throws(Refusal) {
        try user.check(usage.all, before.all)
        try program.check(usage.owner, before.owner)
    }

    private var user: Limit { Limit(items, bytes, "The keychain", "its user") }
    private var program: Limit { Limit(programItems, programBytes, "The program", "one program") }

    private struct Limit {
        let items, bytes: UInt64
        let who, whose: String

        init(_ items: UInt64, _ bytes: UInt64, _ who: String, _ whose: String) {
            (self.items, self.bytes, self.who, self.whose) = (items, bytes, who, whose)
        }

        func allows(_ usage: StoreUsage) -> Bool {
            usage.items <= Int64(clamping: items) && usage.bytes <= Int64(clamping: bytes)
        }

        func check(_ usage: StoreUsage, _ before: StoreUsage) throws(Refusal) {
            if usage.items > before.items, usage.items > Int64(clamping: items) {
                throw .overQuota(
                    "items", "\(who) would have \(usage.items) items; \(items) are allowed for \(whose).")
            }
            if usage.bytes > before.bytes, usage.bytes > Int64(clamping: bytes) {
                throw .overQuota(
                    "bytes",
                    "\(who) would have \(usage.bytes) bytes of items; \(bytes) are allowed for \(whose).")
            }
        }
    }
}

extension Refusal {
    fileprivate static func overQuota(_ subject: String, _ problem: String) -> Refusal {
        Refusal(
            .diskFull, .quota, subject, problem,
            do: "Delete items that are not needed, or have the daemon's limits raised (keychaind --quota-\(subject)).")
    }
}
