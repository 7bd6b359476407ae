import Glibc
package import KeychainModel
import LinuxSystem

/// The partition identifiers that scripts of macOS give to items. They have no effect here, and are kept to be shown.
///
///     partitions = "keychain-partitions 1" LF *note
///     note       = keychain " " reference " " identifiers LF
///     keychain   = "login" / UUID
///     reference  = the item's persistent reference in hexadecimal
package struct PartitionNotes: Sendable {
    private static let magic = "keychain-partitions 1"
    /// Notes beyond this number displace the oldest: they decide nothing.
    private static let most = 10_000
    private static let longest = 8 << 20

    private let keychains: NamedKeychains

    package init(_ keychains: NamedKeychains) { self.keychains = keychains }

    private var file: String { keychains.folder + "/partitions" }

    /// Notes the identifiers of items of one keychain.
    ///
    /// - Throws: `errSecNotAvailable` in the system service, and when they cannot be written.
    package func note(
        _ identifiers: String, of references: [[UInt8]], in keychain: ChosenKeychain
    ) throws(Refusal) {
        let heads = references.map { Self.head($0, keychain) }
        try keychains.alone { () throws(Refusal) in
            let kept = read().filter { line in !heads.contains { line.utf8.starts(with: $0.utf8) } }
            let text = Self.text(identifiers)
            try write((kept + heads.map { $0 + text }).suffix(Self.most))
        }
    }

    /// Forgets those of a keychain that is deleted. The caller holds the lock of the folder.
    ///
    /// - Throws: `errSecNotAvailable` when they cannot be written.
    func forget(_ keychain: NamedKeychain) throws(Refusal) {
        let lines = read()
        let kept = lines.filter { !$0.hasPrefix("\(keychain.identifier) ") }
        if kept.count < lines.count { try write(kept[...]) }
    }

    private func write(_ lines: ArraySlice<String>) throws(Refusal) {
        do throws(SystemError) {
            let content = ([Self.magic] + lines).joined(separator: "\n") + "\n"
            try AtomicFile.replace(file, with: Array(content.utf8).span)
        } catch { throw .cannot("note the partitions", file, error) }
    }

    /// The identifiers of an item; nil when none were given.
    package func identifiers(of reference: [UInt8], in keychain: ChosenKeychain) -> String? {
        let head = Self.head(reference, keychain)
        return read().last { $0.utf8.starts(with: head.utf8) }.map { String($0.utf8.dropFirst(head.utf8.count)) ?? "" }
    }

    private func read() -> [String] {
        guard keychains.areKept, let bytes = try? AtomicFile.read(file, limit: Self.longest) else { return [] }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
        return lines.first == Self.magic ? Array(lines.dropFirst()) : []
    }

    private static func head(_ reference: [UInt8], _ keychain: ChosenKeychain) -> String {
        let name = if case .named(let keychain) = keychain { keychain.identifier.description } else { "login" }
        let digits = reference.flatMap { [$0 >> 4, $0 & 15] }.map { String($0, radix: 16) }.joined()
        return "\(name) \(digits) "
    }

    /// A line cannot hold control characters.
    private static func text(_ identifiers: String) -> String {
        String(String.UnicodeScalarView(identifiers.unicodeScalars.filter { $0.value >= 32 && $0.value != 127 }))
    }
}
