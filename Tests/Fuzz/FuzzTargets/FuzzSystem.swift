import Glibc
import LinuxSystem

@testable import CallerIdentification
@testable import EnclaveWire
@testable import KeychainModel
@testable import KeychainWire

/// The messages between the parts of the system service: the master, the listener of the enclave, the daemon of a
/// keychain, and the process that identifies callers.
///
/// The first byte says what the rest is. A reader believes exactly the messages that the format has. A message without
/// its descriptor, or with another number of them, is nothing.
func fuzzSystem(_ bytes: Span<UInt8>) {
    guard !bytes.isEmpty else { return }
    let body = bytes.array(1, bytes.count - 1)
    switch bytes[0] % 7 {
    case 0: fuzzSummons(body)
    case 1: fuzzHandover(body)
    case 2: fuzzOwner(body)
    case 3: fuzzQuestion(body)
    case 4: fuzzIdentification(body)
    case 5: fuzzOffer(body)
    default: fuzzName(body)
    }
}

private func pair() -> (UnixSocket, UnixSocket) {
    must("a pair of sockets") { () throws(SystemError) in try UnixSocket.pair() }
}

private func say(_ bytes: [UInt8], through socket: UnixSocket) {
    if !bytes.isEmpty { try? socket.sendFully(bytes.span, deadline: .now) }
    shutdown(socket.descriptor.number, CInt(SHUT_WR))
}

private func fuzzSummons(_ body: [UInt8]) {
    let (ours, theirs) = pair()
    say(body, through: theirs)
    guard let summons = try? EnclaveStartRequest.receive(from: ours, deadline: .after(milliseconds: 1000)) else {
        return
    }
    let (from, to) = pair()
    must("a summons cannot be sent") { () throws(SystemError) in
        try summons.send(through: from, deadline: .after(milliseconds: 1000))
    }
    var sent = [UInt8](repeating: 0, count: 12)
    var span = sent.mutableSpan
    let count = try? to.receiveFully(into: &span, deadline: .after(milliseconds: 1000))
    require(count == 12 && body.starts(with: sent), "a summons is sent on as another one")
}

/// Messages of the master, each with some descriptors.
private func fuzzHandover(_ body: [UInt8]) {
    var input = InputReader(body.span)
    let (ours, theirs) = pair()
    let others = Lock(0)
    let receiver = HandoverReceiver(
        ours, onCredential: { _ in others.withLock { $0 += 1 } }, onIdentifier: { _ in others.withLock { $0 += 1 } },
        onEnd: {})
    var handed = 0
    for _ in 0..<8 where !input.isAtEnd {
        let (count, message) = (Int(input.byte() % 3), input.run())
        if message.isEmpty { continue }
        let descriptors = (0..<count).map { _ in pair().0.descriptor }
        handed += count == 0 ? 0 : 1
        try? theirs.sendFully(message.span, attaching: descriptors, deadline: .now)
    }
    shutdown(theirs.descriptor.number, CInt(SHUT_WR))
    var received = 0
    while received <= 8, let connection = try? receiver.accept() {
        received += 1
        require(connection.witness == nil || connection.witness?.startTime != nil, "a witness without a time")
    }
    require(received + others.withLock { $0 } <= handed, "a connection came out of a message without one")
}

private func fuzzOwner(_ body: [UInt8]) {
    let (ours, theirs) = pair()
    let descriptor = pair().0.descriptor
    var input = InputReader(body.span)
    let count = Int(input.byte() % 3)
    let number = input.rest()
    let attached = Array(repeating: descriptor, count: count)
    if !number.isEmpty { try? theirs.sendFully(number.span, attaching: attached, deadline: .now) }
    shutdown(theirs.descriptor.number, CInt(SHUT_WR))
    guard let found = try? IdentifierHandover.receive(from: ours) else { return }
    require(count == 1 && number.count >= 4, "a channel came out of nothing")
    require(Array(number.prefix(4)) == FuzzSeeds.le(found.owner.number), "another owner")
}

private func fuzzQuestion(_ body: [UInt8]) {
    var input = InputReader(body.span)
    let descriptors = (0..<Int(input.byte() % 4)).map { _ in pair().0.descriptor }
    let content = input.rest()
    guard let (number, question) = try? IdentifierQuestion.read(SecretBytes(content), descriptors) else { return }
    let (message, sent) = question.message(number)
    require(sent.map(\.number) == descriptors.map(\.number), "descriptors were dropped or added")
    let again = try? IdentifierQuestion.read(message.finish(), descriptors)
    require(again?.number == number, "a question that was written cannot be read")
}

/// The answer of the identifier, as the daemon reads it.
private func fuzzIdentification(_ body: [UInt8]) {
    struct Identification: Equatable {
        let report: CallerReport
        let version: FileVersion?
    }
    let format = Format<Identification>(
        { reader throws(Refusal) in
            let report = try CallerReport(from: &reader)
            let isHeld = try reader.integer(UInt8.self) != 0
            return Identification(report: report, version: isHeld ? try Holding.version(from: &reader) : nil)
        },
        { message, buffer in
            message.report.append(to: buffer)
            buffer.append(message.version == nil ? 0 : 1)
            guard let version = message.version else { return }
            for number in version.numbers { buffer.append(littleEndian: number) }
            buffer.append(bytes: version.verityDigest.span)
        })
    format.settleEqually(body)
}

/// The offer of a daemon to the master, which lets it end only after one that counts all connections it was given.
private func fuzzOffer(_ body: [UInt8]) {
    let (ours, theirs) = pair()
    let sender = must("a sender") { () throws(SystemError) in try HandoverSender(ours) }
    let connection = pair().0
    must("a connection cannot be handed over") { () throws(SystemError) in try sender.hand(connection, as: .client) }
    say(body, through: theirs)
    let mayLetGo = sender.mayLetGo()
    let one: [UInt8] = [1, 0, 0, 0, 0, 0, 0, 0]
    require(mayLetGo == (body.count < 8 || body.starts(with: one)), "an offer is taken for another one")
}

private func fuzzName(_ body: [UInt8]) {
    let name = String(decoding: body, as: UTF8.self)
    guard let owner = KeychainOwner(name) else { return }
    require(owner.description == name, "an owner has two names")
    require(!name.contains("/") && !name.hasPrefix("."), "an owner's name leads out of the folder")
}

extension FuzzSeeds {
    static func ofSystem() -> [[UInt8]] {
        let start = written { $0.append(littleEndian: UInt64(77)) }
        let report = CallerReport(
            user: 1000, process: 7, program: "/usr/bin/a", source: "signed", detail: "TEAM", isAnchored: true,
            mayInspectAllGroups: false, groups: ["a"])
        let version = must("a version") { () throws(SystemError) in try FileVersion(at: "/dev/null") }
        let held = written { buffer in
            for number in version.numbers { buffer.append(littleEndian: number) }
            buffer.append(bytes: [UInt8](repeating: 3, count: 32).span)
        }
        let answer = written { report.append(to: $0) }
        var handed: [UInt8] = []
        for kind in UInt8(1)...3 { handed += [1, 18, kind, 0] + start + start }
        return [
            [0] + Array("KES1".utf8) + [232, 3, 0, 0, 1, 0, 0, 0], [0] + Array("KES1".utf8) + le(.max) + le(0),
            [1] + handed, [1, 2, 18, 1, 2] + start + start, [1, 1, 18, 1, 1] + start + start,
            [1, 0, 18, 1, 0] + start + start,
            [2, 1] + le(1000), [2, 1] + le(.max), [3, 1] + le(9) + [1, 0] + start + start,
            [3, 2] + le(9) + [1, 2] + start + start, [3, 1] + le(9) + [2] + le(1000) + le(7),
            [4] + answer + [0], [4] + answer + [1] + held, [5, 1, 0, 0, 0, 0, 0, 0, 0],
            [5], [6] + Array("1000".utf8), [6] + Array("system".utf8),
        ]
    }
}
