import KeychainModel
import KeychainPolicy
import KeychainStore
import KeychainWire
import LinuxSystem

/// How much there may be in a keychain, and of one program in it. The daemon's options set them; an embedded keychain
/// has none, for its program could write to the files as it likes.
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

    /// The part of each of so many keychains of one user.
    package func shared(by count: UInt64) -> Quotas {
        Quotas(
            items: items / count, bytes: bytes / count, programItems: min(programItems, items / count),
            programBytes: min(programBytes, bytes / count))
    }

    /// Those of an application in a sandbox that stores through the bridge to the desktop: other programs' lists pass
    /// over its items.
    var inSandbox: Quotas {
        guard self != .none else { return self }
        return Quotas(
            items: items, bytes: bytes, programItems: programItems / 20, programBytes: programBytes / 20)
    }

    /// No limits.
    package static let none = Quotas(items: .max, bytes: .max, programItems: .max, programBytes: .max)
}

extension Quotas {
    /// Performs a write within the quotas: what would exceed one is undone with its transaction, and what makes less,
    /// or is no more than there was, is let through though a quota was lowered meanwhile.
    func hold(
        for request: ItemRequest, in store: StoreWriter, _ body: () throws(Refusal) -> Void
    ) throws(Refusal) {
        guard self != .none, !request.makesLess else { return try body() }
        let before = try store.usage()
        try body()
        do throws(Refusal) { try check(try store.usage(), before) } catch {
            guard error.rule == .quota else { throw error }
            // Rather than refuse a write for them, the earlier versions go that the same program's writes left.
            try store.forgetOwnVersions()
            try check(try store.usage(), before)
        }
    }
}

extension HistoryLimits {
    /// A tenth of what the quota leaves, at most.
    func within(_ quotas: Quotas) -> HistoryLimits {
        HistoryLimits(days: days, bytes: min(bytes, Int64(clamping: quotas.bytes / 10)))
    }
}

extension Quotas {
    fileprivate typealias Usage = (all: StoreUsage, owner: StoreUsage)

    fileprivate func check(_ usage: Usage, _ before: Usage) throws(Refusal) {
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
