package import KeychainModel
import LinuxSystem

/// Why a search ends as it does: what became of the request, and of each item that it could have been about.
///
///     explanation = status:i32 refusal program:text groups looked:u64 omitted:u64 count:u32 *candidate
///     refusal     = rule:text subject:text problem:text remedy:text            ; empty texts with status 0
package struct Explanation: Equatable, Sendable {
    /// How the search ends; nil when it finds something.
    package var refusal: Refusal?
    /// The program that it was replayed for, and the groups of that program.
    package var program: String
    package var groups: [String]
    /// How many items were looked at.
    package var looked: UInt64
    /// How many that differ are left out, because others are nearer to what was asked.
    package var omitted: UInt64
    package var candidates: [Candidate]

    package init(
        refusal: Refusal?, program: String, groups: [String], looked: UInt64 = 0, omitted: UInt64 = 0,
        candidates: [Candidate] = []
    ) {
        (self.refusal, self.program, self.groups) = (refusal, program, groups)
        (self.looked, self.omitted, self.candidates) = (looked, omitted, candidates)
    }

    /// An item, and everything that keeps the search from finding it: the first that spoke comes first. Never a value.
    ///
    ///     candidate = class:u8 verdict:u8 shown:u8 sync:u8 count:u16 *(rule:text subject:text) length:u32 list
    package struct Candidate: Equatable, Sendable {
        package enum Verdict: UInt8, Sendable {
            case found = 0
            case excluded = 1
            /// It is found after the user has authenticated.
            case afterAuthentication = 2
        }

        package var itemClass: ItemClass
        package var verdict: Verdict
        package var exclusions: [Exclusion]
        /// Whether its attributes could be read, and may be shown to the caller.
        package var isShown: Bool
        package var attributes: AttributeList
        package var sync = ItemSync.unsaid

        package init(
            itemClass: ItemClass, verdict: Verdict, exclusions: [Exclusion], isShown: Bool, attributes: AttributeList
        ) {
            (self.itemClass, self.verdict, self.exclusions) = (itemClass, verdict, exclusions)
            (self.isShown, self.attributes) = (isShown, attributes)
        }

        package static func == (left: Self, right: Self) -> Bool {
            left.itemClass == right.itemClass && left.verdict == right.verdict && left.exclusions == right.exclusions
                && left.isShown == right.isShown && left.sync == right.sync
                && left.attributes.storage.isEqual(to: right.attributes.storage)
        }
    }

    /// A rule, and the attribute, group or state it spoke about.
    package struct Exclusion: Hashable, Sendable {
        package var rule: Refusal.Rule
        package var subject: String
        package init(_ rule: Refusal.Rule, _ subject: String = "") { (self.rule, self.subject) = (rule, subject) }
    }
}

extension Refusal.Rule {
    /// The item is of another class than the query's.
    package static let otherClass = Self(rawValue: "query.other-class")
    /// The item's attribute is another than the query's.
    package static let attributeDiffers = Self(rawValue: "query.attribute-differs")
    /// The query does not look at items that are, or are not, synchronised.
    package static let otherSynchronizable = Self(rawValue: "query.synchronizable-filter")
    /// The persistent reference is another item's.
    package static let otherReference = Self(rawValue: "query.persistent-reference")
    /// Others were found before, and no more were asked for.
    package static let beyondLimit = Self(rawValue: "query.match-limit")
    /// A match key looks at more than attributes, and says no.
    package static let matchKey = Self(rawValue: "query.match-key")
    /// The certificate has no private key within the query's reach.
    package static let withoutKey = Self(rawValue: "query.no-private-key")
}

// MARK: - Coding

extension Explanation {
    func append(to buffer: SecretBuffer) {
        buffer.append(littleEndian: refusal?.status.rawValue ?? 0)
        (refusal ?? Refusal(.success, Refusal.Rule(rawValue: ""), "", "", do: "")).append(to: buffer)
        buffer.append(text: program)
        buffer.append(texts: groups)
        buffer.append(littleEndian: looked)
        buffer.append(littleEndian: omitted)
        buffer.append(littleEndian: UInt32(truncatingIfNeeded: candidates.count))
        for candidate in candidates { candidate.append(to: buffer) }
    }

    init(from reader: inout WireReader) throws(Refusal) {
        let status = try reader.integer(Int32.self)
        let refusal = try reader.refusal(status: status)
        self.init(
            refusal: status == 0 ? nil : refusal, program: try reader.text(), groups: try reader.texts(atMost: .max))
        (looked, omitted) = (try reader.integer(UInt64.self), try reader.integer(UInt64.self))
        for _ in 0..<(try reader.integer(UInt32.self)) { candidates.append(try Candidate(from: &reader)) }
    }
}

extension Explanation.Candidate {
    func append(to buffer: SecretBuffer) {
        for byte in [itemClass.rawValue, verdict.rawValue, isShown ? 1 : 0, sync.rawValue] { buffer.append(byte) }
        buffer.append(littleEndian: UInt16(truncatingIfNeeded: exclusions.count))
        for exclusion in exclusions {
            buffer.append(text: exclusion.rule.rawValue)
            buffer.append(text: exclusion.subject)
        }
        attributes.storage.withSpan { buffer.append(bytes: $0) }
    }

    init(from reader: inout WireReader) throws(Refusal) {
        guard let itemClass = try reader.optionalClass(),
            let verdict = Verdict(rawValue: try reader.integer(UInt8.self))
        else { throw .malformed("a candidate") }
        let isShown = try reader.integer(UInt8.self) != 0
        // One that this release does not know says nothing to it.
        let sync = ItemSync(rawValue: try reader.integer(UInt8.self)) ?? .unsaid
        var exclusions: [Explanation.Exclusion] = []
        for _ in 0..<(try reader.integer(UInt16.self)) {
            exclusions.append(.init(Refusal.Rule(rawValue: try reader.text()), try reader.text()))
        }
        let bytes = try reader.secret(atMost: WireLimits.responseBody)
        do throws(AttributeList.Malformed) {
            self.init(
                itemClass: itemClass, verdict: verdict, exclusions: exclusions, isShown: isShown,
                attributes: bytes.count == 0 ? .empty : try AttributeList(parsing: bytes))
        } catch { throw .malformed("a candidate") }
        self.sync = sync
    }
}
