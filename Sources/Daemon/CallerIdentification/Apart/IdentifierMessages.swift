import Glibc
import KeychainModel
import KeychainPolicy
import KeychainWire
import LinuxSystem

/// The messages between a daemon of the system service and the process that identifies its callers, the *identifier*.
/// Questions carry numbers that the daemon gives, and answers come in any order. Each is one message of a socket that
/// preserves message borders.
///
///     question = number:u32 1:u8 witness:u8 after:u64 start:u64
///                                                         ; who has made a connection? With the connection, and the
///                                                         rest of it ; as in a handover
///              | number:u32 2:u8 user:u32 process:i32     ; what would this program be given? With the file
///              | number:u32 3:u8 and as 1                 ; who has made a connection, if that is known at once?
///     answer   = number:u32 0:i32 report 0:u8
///              | number:u32 0:i32 report 1:u8 version     ; with the list of mappings of the process, and its program
///              | number:u32 0:i32                         ; it is not known at once
///              | number:u32 status:i32 refusal
///     version  = number:u64×9 length:u32 digest
///
/// The identifier asks the kernel itself which process made the connection, and tells what it found to the daemon of
/// that user alone. The attached descriptors let the daemon check that the process still executes the identified file.
enum IdentifierFormat {
    static let identify: UInt8 = 1
    static let examine: UInt8 = 2
    static let recognize: UInt8 = 3
    static let questionRoom = 64
    /// An entitlements file has 64 KiB.
    static let answerRoom = 96 << 10
    /// How the kernel's word of a connection came: as in a handover.
    static let witnessByKernel: UInt8 = 0
    static let witnessByStart: UInt8 = 1
    static let witnessByDescriptor: UInt8 = 2
    static let longestDigest = 64
}

/// The question.
enum IdentifierQuestion {
    case identify(UnixSocket)
    case examine(FileDescriptor, user: UInt32, process: Int32)
    case recognize(UnixSocket)

    /// The user whose file goes with it.
    var fileOwner: UInt32? { if case .examine(_, let user, _) = self { user } else { nil } }

    /// The connection whose maker is asked for.
    var connection: UnixSocket? {
        switch self {
        case .identify(let peer), .recognize(let peer): peer
        case .examine: nil
        }
    }

    /// Whether the answer is nothing for a program that is not known.
    var isForKnown: Bool { if case .recognize = self { true } else { false } }

    /// The message, and what goes with it.
    ///
    /// - Parameter number: what its answer is known by.
    func message(_ number: UInt32) -> (SecretBuffer, [FileDescriptor]) {
        let buffer = SecretBuffer(capacity: IdentifierFormat.questionRoom)
        buffer.append(littleEndian: number)
        switch self {
        case .identify(let connection):
            return (buffer, Self.append(connection, IdentifierFormat.identify, to: buffer))
        case .recognize(let connection):
            return (buffer, Self.append(connection, IdentifierFormat.recognize, to: buffer))
        case .examine(let file, let user, let process):
            buffer.append(IdentifierFormat.examine)
            buffer.append(littleEndian: user)
            buffer.append(littleEndian: process)
            return (buffer, [file])
        }
    }

    private static func append(_ connection: UnixSocket, _ code: UInt8, to buffer: SecretBuffer) -> [FileDescriptor] {
        let witness = connection.witness
        buffer.append(code)
        buffer.append(form(of: witness))
        buffer.append(littleEndian: connection.madeAfter ?? 0)
        buffer.append(littleEndian: witness?.startTime ?? 0)
        return [connection.descriptor] + (witness?.descriptor.map { [$0] } ?? [])
    }

    /// - Returns: the question, and what its answer is known by.
    /// - Throws: `errSecParam` (`wire.malformed`) for what is no question.
    static func read(
        _ body: SecretBytes, _ descriptors: [FileDescriptor]
    ) throws(Refusal) -> (number: UInt32, question: IdentifierQuestion) {
        var reader = WireReader(body)
        let number = try reader.integer(UInt32.self)
        return (number, try IdentifierQuestion(&reader, descriptors))
    }

    private init(_ reader: inout WireReader, _ descriptors: [FileDescriptor]) throws(Refusal) {
        let kind = try reader.integer(UInt8.self)
        guard let first = descriptors.first else { throw .malformed("a question") }
        switch kind {
        case IdentifierFormat.identify: self = .identify(try Self.connection(&reader, descriptors))
        case IdentifierFormat.recognize: self = .recognize(try Self.connection(&reader, descriptors))
        case IdentifierFormat.examine where descriptors.count == 1:
            self = .examine(
                first, user: try reader.integer(UInt32.self), process: try reader.integer(Int32.self))
        default: throw .malformed("a question")
        }
        guard reader.isAtEnd else { throw .malformed("the end of a question") }
    }

    private static func form(of witness: ProcessWitness?) -> UInt8 {
        guard let witness else { return IdentifierFormat.witnessByKernel }
        return witness.descriptor == nil ? IdentifierFormat.witnessByStart : IdentifierFormat.witnessByDescriptor
    }

    private static func connection(
        _ reader: inout WireReader, _ descriptors: [FileDescriptor]
    ) throws(Refusal) -> UnixSocket {
        let form = try reader.integer(UInt8.self)
        let (after, start) = (try reader.integer(UInt64.self), try reader.integer(UInt64.self))
        let hasDescriptor = form == IdentifierFormat.witnessByDescriptor
        guard form <= IdentifierFormat.witnessByDescriptor, descriptors.count == (hasDescriptor ? 2 : 1) else {
            throw .malformed("a connection")
        }
        let witness = ProcessWitness(descriptor: hasDescriptor ? descriptors[1] : nil, startTime: start)
        return UnixSocket(
            descriptors[0], witness: form == IdentifierFormat.witnessByKernel ? nil : witness,
            madeAfter: after == 0 ? nil : after)
    }
}

/// The files that a process executes, as descriptors for a process that may not open them.
struct Holding: Sendable {
    let maps: FileDescriptor
    let file: FileDescriptor
    let version: FileVersion

    func append(to buffer: SecretBuffer) {
        for number in version.numbers { buffer.append(littleEndian: number) }
        buffer.append(bytes: version.verityDigest.span)
    }

    /// - Throws: `errSecParam` (`wire.malformed`).
    static func version(from reader: inout WireReader) throws(Refusal) -> FileVersion {
        var numbers: [UInt64] = []
        for _ in 0..<FileVersion.numberCount { numbers.append(try reader.integer(UInt64.self)) }
        let digest = try reader.bytes(atMost: IdentifierFormat.longestDigest)
        guard let version = FileVersion(numbers: numbers, verityDigest: digest) else { throw .malformed("a version") }
        return version
    }
}
