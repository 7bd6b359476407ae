import Glibc
import LinuxSystem

@testable import EnclaveWire
@testable import KeychainModel
@testable import KeychainWire

/// The messages of enclave and agent, in both directions.
///
/// The first byte says what the rest is: one message, or all bytes that a peer sends on its end of the socket.
/// However a peer talks, the connection ends when it has gone, and only what the format has was believed.
func fuzzAgent(_ bytes: Span<UInt8>) {
    guard !bytes.isEmpty else { return }
    let body = bytes.array(1, bytes.count - 1)
    switch bytes[0] % 8 {
    case 0: fuzzQuestion(body)
    case 1: fuzzAnswer(body)
    case 2: Format(AgentReport.init(from:), { $0.append(to: $1) }).settleEqually(body)
    case 3: Format(BiometryStatus.init(forAgentFrom:), { $0.appendForAgent(to: $1) }).settleEqually(body)
    case 4: fuzzWord(bytes)
    case 5: fuzzTask(body)
    case 6: fuzzEnclaveEnd(body)
    default: fuzzAgentEnd(body)
    }
}

private func fuzzQuestion(_ body: [UInt8]) {
    guard let pair = Format(UserQuestion.init(from:), { $0.append(to: $1) }).settle(body) else { return }
    var first = pair.first
    // The sender of a terminal writes that a terminal comes along.
    first.prompt.surroundings.comesOpened = false
    require(first == pair.again, "a question is read as another one")
}

private func fuzzAnswer(_ body: [UInt8]) {
    guard let (first, _) = Format(UserAnswer.init(from:), { $0.append(to: $1) }).settle(body) else { return }
    guard case .secret(let secret) = first else { return }
    require(secret.count <= AgentFormat.secretBytes, "a secret is longer than any")
    require(!UserQuestion.Kind.finger.mayBeAnswered(with: first, allowsFallback: true), "a secret for a finger")
}

private func fuzzWord(_ bytes: Span<UInt8>) {
    var input = InputReader(bytes)
    let number = input.number()
    guard let word = AgentWord(number) else { return }
    require(word.word == number, "a word is written in another way")
}

private func fuzzTask(_ body: [UInt8]) {
    guard let (first, again) = Format(AuthenticationTask.init(from:), { $0.append(to: $1) }).settle(body) else {
        return
    }
    for task in [first, again] {
        must("a task that was read cannot be sent on") { () throws(Refusal) in try task.checkSize() }
    }
}

/// The enclave's end, with the input as all that an agent says.
private func fuzzEnclaveEnd(_ said: [UInt8]) {
    let (ours, theirs) = must("a pair of sockets") { () throws(SystemError) in try UnixSocket.pair() }
    let events = Lock<[SessionEvent]>([])
    let channel = AgentChannel(ours, farewell: nil) { event in events.withLock { $0.append(event) } }
    say(said, through: theirs)
    // The reader may be slow: the agent must not wait for it.
    channel.read()
    require(channel.isClosed, "a channel whose agent has gone is open")
    let greeting = FuzzSeeds.message(.hello, 0, FuzzSeeds.le(AgentFormat.version))
    if !said.starts(with: greeting) { require(events.withLock { $0.isEmpty }, "an event came without a greeting") }
    let answer = try? channel.call(.report, within: 10) { (_) throws(Refusal) in true }
    require(answer == nil, "an agent that has gone has answered")
}

/// The agent's end, with the input as all that an enclave says.
private func fuzzAgentEnd(_ said: [UInt8]) {
    let (ours, theirs) = must("a pair of sockets") { () throws(SystemError) in try UnixSocket.pair() }
    let interface = FuzzInterface()
    let server = must("an agent") { () throws(SystemError) in try AgentServer(interface, channel: ours) }
    say(said, through: theirs)
    server.run()
    if !said.contains(AgentOperation.ask.rawValue) { require(interface.asked == 0, "nobody asked, and somebody was") }
}

/// As much as a socket takes without a reader; larger inputs are none for this.
private func say(_ bytes: [UInt8], through socket: UnixSocket) {
    try? socket.sendFully(bytes.span, deadline: .now)
    shutdown(socket.descriptor.number, CInt(SHUT_WR))
}

/// Answers at once.
private final class FuzzInterface: AgentService {
    private let count = Lock(0)
    var asked: Int { count.withLock { $0 } }

    func biometry() -> BiometryStatus { BiometryStatus(state: .notEnrolled, enrolment: []) }
    func report() -> AgentReport { AgentReport() }

    func ask(_ question: UserQuestion, by deadline: Deadline, until withdrawal: Withdrawal) -> UserAnswer {
        count.withLock { $0 += 1 }
        return .cancelled
    }
}

extension FuzzSeeds {
    static func message(_ operation: AgentOperation, _ id: UInt32, _ body: [UInt8]) -> [UInt8] {
        le(UInt32(body.count)) + le(AgentWord(operation, id).word) + body
    }

    static func ofAgent() -> [[UInt8]] {
        var question = UserQuestion(.passcode, context, prompt)
        (question.failures, question.wait, question.allowsFallback) = (1, 2, true)
        let asked = written { question.append(to: $0) }
        let purposes: [AuthenticationTask.Purpose] = [
            .context(.control(flags: 1, .useItem)),
            .items(guards: [ItemGuard(identifier: Array(0..<16), flags: 1)], .useItem),
        ]
        let tasks = purposes.map { purpose in
            written { AuthenticationTask(context: context, purpose: purpose, prompt: prompt).append(to: $0) }
        }
        var report = AgentReport()
        (report.hasSystemBus, report.sensor, report.session) = (true, "reader", "c1")
        let answers: [UserAnswer] = [.matched, .secret(SecretBytes([1, 2, 3])), .timedOut]
        let ready = BiometryStatus(state: .ready, enrolment: Array(0..<32))
        let fromAgent =
            message(.hello, 0, le(AgentFormat.version)) + message(.event, 1, [1]) + message(.event, 2, [4])
            + message(.answer, 1, written { report.append(to: $0) }) + message(.busy, 2, [])
        let withdrawn = written { context.append(to: $0) }
        let fromEnclave =
            message(.report, 1, []) + message(.biometry, 2, []) + message(.ask, 3, le(50) + asked)
            + message(.withdraw, 0, withdrawn) + message(.eventTaken, 1, [])
        return [[0] + asked] + answers.map { answer in [1] + written { answer.append(to: $0) } }
            + [[2] + written { report.append(to: $0) }, [3] + written { ready.appendForAgent(to: $0) }]
            + AgentOperation.allCases.map { le(AgentWord($0, 4).word) } + tasks.map { [5] + $0 }
            + [[6] + fromAgent, [7] + fromEnclave]
    }
}
