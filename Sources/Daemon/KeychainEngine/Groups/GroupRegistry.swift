import KeychainCrypto
import KeychainModel
import KeychainPolicy
import KeychainStore
import KeychainWire
import LinuxSystem

/// A group's record: its name, its policy, and the programs that were seen with it.
///
///     record   = 1:u8 policy:u8 0:u16 name:text count:u16 *(seen:u32 kind:u8 0:u8 0:u16 program:text)
///
/// `seen` is in days since 2001. `kind` is 1 signed, 2 installed by root, 3 sandboxed, 4 a unit, 5 unsigned, 6 unsigned
/// with a claim.
struct GroupRecord: Equatable {
    struct Program: Equatable {
        var path: String
        var kind: UInt8
        var seen: UInt32
    }

    var name: String
    var policy = GroupPolicy.keep
    var programs: [Program] = []

    /// As many as a suite has; of more, those seen longest ago are forgotten.
    static let mostPrograms = 64

    init(_ name: String) { self.name = name }

    /// Notes that a program was seen; false when that was known.
    mutating func note(_ path: String, _ provenance: Provenance, on day: UInt32) -> Bool {
        let program = Program(path: path, kind: provenance.number, seen: day)
        if let index = programs.firstIndex(where: { $0.path.hasBytes(of: path) }) {
            guard programs[index] != program else { return false }
            programs[index] = program
            return true
        }
        programs.append(program)
        programs.sort { $0.seen > $1.seen }
        programs = Array(programs.prefix(Self.mostPrograms))
        return true
    }

    /// Every program that could use the group: those seen with it, and the one that its name names (rule
    /// access-groups.unsigned.path).
    var possiblePrograms: [String] {
        let named =
            name.hasPrefix(AccessGroup.unsignedPrefix)
            ? String(name.dropFirst(AccessGroup.unsignedPrefix.utf8.count)) : nil
        let seen = programs.map(\.path)
        return (named.map { [$0] } ?? []).filter { !seen.containsExactly($0) } + seen
    }

    /// Whether all programs of the group are gone; false when none is known, or one is no file of its own.
    var isWithoutPrograms: Bool {
        let programs = possiblePrograms
        return !programs.isEmpty && programs.allSatisfy { $0.hasPrefix("/") && Self.isGone($0) }
    }

    private static func isGone(_ path: String) -> Bool {
        do throws(SystemError) { return try FileStatus(at: path) == nil } catch { return false }
    }
}

/// Seals what is known of groups, under a key made of the index key: their names are no more readable than items' are.
///
///     sealed = box(book key, "groupbook" digest:16, record)
///     book key = HKDF-SHA256(index key, info "keychain group book", 32)
final class GroupRegistry {
    private let cipher: AESGCM
    private static let context = Array("groupbook".utf8)

    init(_ indexKey: SecretBytes) throws(Refusal) {
        do throws(CryptoError) {
            let info = Array("keychain group book".utf8)
            let key = try indexKey.withSpan { (bytes) throws(CryptoError) in
                try HKDF.derive(from: bytes, salt: [UInt8]().span, info: info.span, count: AESGCM.keySize)
            }
            cipher = try key.withSpan { (bytes) throws(CryptoError) in try AESGCM(key: bytes) }
        } catch { throw .cryptography(error) }
    }

    func seal(_ record: GroupRecord, for digest: [UInt8]) throws(Refusal) -> [UInt8] {
        let buffer = SecretBuffer(capacity: 512)
        for byte in [1, record.policy.rawValue, 0, 0] { buffer.append(byte) }
        buffer.append(text: record.name)
        buffer.append(littleEndian: UInt16(record.programs.count))
        for program in record.programs {
            buffer.append(littleEndian: program.seen)
            buffer.append(littleEndian: UInt32(program.kind))
            buffer.append(text: program.path)
        }
        do throws(CryptoError) {
            return try buffer.withSpan { (bytes) throws(CryptoError) in
                try cipher.seal(bytes, aad: (Self.context + digest).span)
            }
        } catch { throw .cryptography(error) }
    }

    /// Opens a record; nil when it is damaged, or of a later form.
    func open(_ sealed: [UInt8], for digest: [UInt8]) -> GroupRecord? {
        let buffer = SecretBuffer(capacity: 512)
        do throws(CryptoError) {
            try cipher.open(sealed.span, aad: (Self.context + digest).span, into: buffer)
        } catch { return nil }
        return try? GroupRecord(buffer.finish())
    }
}

extension GroupRecord {
    fileprivate init(_ bytes: SecretBytes) throws(Refusal) {
        var reader = WireReader(bytes)
        guard try reader.integer(UInt8.self) == 1,
            let policy = GroupPolicy(rawValue: try reader.integer(UInt8.self))
        else { throw .malformed("a group's record") }
        _ = try reader.integer(UInt16.self)
        self.init(try reader.text())
        self.policy = policy
        for _ in 0..<(try reader.integer(UInt16.self)) {
            let (seen, kind) = (try reader.integer(UInt32.self), try reader.integer(UInt32.self))
            programs.append(Program(path: try reader.text(), kind: UInt8(truncatingIfNeeded: kind), seen: seen))
        }
    }
}

extension Provenance {
    fileprivate var number: UInt8 {
        switch self {
        case .signed: 1
        case .installed: 2
        case .sandboxed: 3
        case .unit: 4
        case .unsigned, .misclaimed: 5
        case .claimed: 6
        }
    }
}

/// The digests of access groups, for any thread.
final class GroupDigests: Sendable {
    /// One thread at a time uses it.
    private let digester: Lock<AttributeDigester>

    init(_ indexKey: SecretBytes) throws(Refusal) { digester = Lock(try AttributeDigester(indexKey)) }

    func digest(of group: String) throws(Refusal) -> [UInt8] {
        try digester.withLock { (digester) throws(Refusal) in
            try digester.group(group).span.array(0, AttributeDigester.size)
        }
    }
}
