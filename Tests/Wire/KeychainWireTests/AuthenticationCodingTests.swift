import KeychainModel
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@Suite("Authentication requests and their answers")
struct AuthenticationCodingTests {
    private static let context = [UInt8](1...16)
    private static let prompt: Prompt = {
        var prompt = Prompt(
            interaction: .terminal, reason: "to open 🔑", fallbackTitle: "", cancelTitle: "No",
            surroundings: PromptEnvironment(
                terminal: "/dev/pts/3", environment: ["TERM": "xterm", "LANG": "zh_CN.UTF-8"]))
        (prompt.program, prompt.item) = ("/usr/bin/mail", "mail.example.org")
        return prompt
    }()

    private static func item() -> ItemRequest {
        var request = ItemRequest(.copyMatching)
        request.itemClass = .genericPassword
        request.returns = .data
        return request
    }

    private static let use = KeyRequest.make(KeyBinding(group: "g", accessibility: .whenUnlocked, control: 3))

    private static let requests: [AuthenticationRequest] = [
        .capabilities, .evaluate(.policy(2), context: context, prompt: prompt),
        .evaluate(.control(flags: 0x8000_0001, .useKeySign), context: context, prompt: Prompt()),
        .perform(.item(item()), context: nil, prompt: prompt), .perform(.key(use), context: context, prompt: Prompt()),
        .invalidate(context: context),
    ]

    private static func encoded(_ request: AuthenticationRequest) -> SecretBytes {
        let buffer = SecretBuffer()
        request.append(to: buffer)
        return buffer.finish()
    }

    @Test("What is encoded is read back, and encoded alike once more", arguments: requests.indices)
    func roundTrip(index: Int) throws {
        let body = Self.encoded(Self.requests[index])
        let read = try AuthenticationRequest(decoding: body)
        #expect(Self.encoded(read).isEqual(to: body))
    }

    @Test("A prompt keeps all it has")
    func prompts() throws {
        let body = Self.encoded(.evaluate(.policy(2), context: Self.context, prompt: Self.prompt))
        guard case .evaluate(let purpose, let context, let prompt) = try AuthenticationRequest(decoding: body) else {
            return #expect(Bool(false), "another request was read")
        }
        #expect(purpose == .policy(2) && context == Self.context && prompt == Self.prompt)
    }

    @Test("A body that is cut off, or has more behind it, is none", arguments: requests.indices)
    func cutOff(index: Int) throws {
        let body = Self.encoded(Self.requests[index])
        let bytes = body.withSpan { $0.array(0, $0.count) }
        for count in bytes.indices { #expect(Self.reads(Array(bytes.prefix(count))) == nil) }
        #expect(Self.reads(bytes + [0]) == nil)
    }

    private static func reads(_ bytes: [UInt8]) -> AuthenticationRequest? {
        try? AuthenticationRequest(decoding: SecretBytes(copying: bytes.span))
    }

    @Test("10,000 altered bodies are read or refused")
    func altered() {
        var generator = SplitMix64(seed: 11)
        var refused = 0
        for round in 0..<10_000 {
            let body = Self.encoded(Self.requests[round % Self.requests.count])
            var bytes = body.withSpan { $0.array(0, $0.count) }
            for _ in 0...round % 3 {
                bytes[Int.random(in: 0..<bytes.count, using: &generator)] = .random(in: 0...255, using: &generator)
            }
            if Self.reads(bytes) == nil { refused += 1 }
        }
        #expect(refused > 1000 && refused < 10_000)
    }

    @Test("Texts over their limits are cut in whole characters, paths and variables left out")
    func limits() throws {
        var prompt = Prompt(reason: String(repeating: "é", count: 600))
        prompt.fallbackTitle = String(repeating: "🔑", count: 100)
        prompt.surroundings.terminal = String(repeating: "t", count: 300)
        prompt.surroundings.environment = ["TERM": String(repeating: "x", count: 5000), "HOME": "/root", "LANG": "C"]
        let body = Self.encoded(.evaluate(.policy(1), context: Self.context, prompt: prompt))
        guard case .evaluate(_, _, let read) = try AuthenticationRequest(decoding: body) else {
            return #expect(Bool(false), "another request was read")
        }
        #expect(read.reason == String(repeating: "é", count: 512))
        #expect(read.fallbackTitle == String(repeating: "🔑", count: 64))
        #expect(read.surroundings == PromptEnvironment(terminal: "", environment: ["LANG": "C"]))
    }

    @Test("A variable comes once, and only one of the table")
    func variables() {
        func body(_ variables: [UInt8]) -> [UInt8] {
            let buffer = SecretBuffer()
            buffer.append(2)
            AuthenticationPurpose.policy(2).append(to: buffer)
            buffer.append(Self.context.span)
            for byte: UInt8 in [2, 0] { buffer.append(byte) }
            for _ in 0..<4 { buffer.append(text: "") }
            buffer.append(UInt8(variables.count))
            for variable in variables {
                buffer.append(variable)
                buffer.append(text: "v")
            }
            return buffer.withSpan { $0.array(0, $0.count) }
        }
        #expect(Self.reads(body([0, 1])) != nil)
        #expect(Self.reads(body([0, 0])) == nil)
        #expect(Self.reads(body([UInt8(PromptEnvironment.variables.count)])) == nil)
    }

    @Test("Answers are read back")
    func replies() throws {
        let biometry = BiometryStatus(state: .lockedOut, enrolment: [UInt8](repeating: 7, count: 32))
        let capabilities = AuthenticationCapabilities(biometry: biometry, passcodeIsSet: true)
        let result = AuthenticationResult(factors: [.biometry, .passcode], enrolment: biometry.enrolment)
        guard case .capabilities(let first) = try Self.reply(to: .capabilities, { capabilities.append(to: $0) }),
            case .evaluated(let second) = try Self.reply(to: Self.requests[1], { result.append(to: $0) }),
            case .done = try Self.reply(to: .invalidate(context: Self.context), { _ in })
        else { return #expect(Bool(false), "another answer was read") }
        #expect(first == capabilities && second == result)
        let short = AuthenticationResult(factors: .biometry, enrolment: [1])
        #expect(throws: Refusal.self) { try Self.reply(to: Self.requests[1]) { short.append(to: $0) } }
    }

    private static func reply(
        to request: AuthenticationRequest, _ body: (SecretBuffer) -> Void
    ) throws(Refusal) -> AuthenticationReply {
        let writer = ResponseWriter()
        writer.answer(1, body)
        let answer = writer.complete()
        return try AuthenticationReply(to: request, status: answer.status, body: answer.body)
    }

    @Test("A refusal is passed on with its rule, whatever was asked", arguments: requests.indices)
    func refusals(index: Int) throws {
        let refusal = Refusal(.userCanceled, .userCanceled, "accc", "He declined.", do: "Ask again.")
        let writer = ResponseWriter()
        writer.refuse(refusal, id: 1)
        let answer = writer.complete()
        #expect(throws: refusal) {
            try AuthenticationReply(to: Self.requests[index], status: answer.status, body: answer.body)
        }
    }
}
