import KeychainModel
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@Suite("A terminal that a caller has opened comes along with its request")
struct OpenedTerminalTests {
    private static func coded(_ request: AuthenticationRequest) throws -> AuthenticationRequest {
        let buffer = SecretBuffer()
        request.append(to: buffer)
        return try AuthenticationRequest(decoding: buffer.copy())
    }

    private static func request(opened: FileDescriptor?) -> AuthenticationRequest {
        var prompt = Prompt(surroundings: PromptEnvironment(terminal: "/dev/pts/1", environment: ["TERM": "xterm"]))
        prompt.surroundings.opened = opened.map(OpenedTerminal.init)
        return .evaluate(
            .policy(2), context: [UInt8](repeating: 7, count: AuthenticationContext.identifierBytes), prompt: prompt)
    }

    @Test("It is the last descriptor, behind the application password")
    func isTaken() throws {
        let (terminal, password) = try FileDescriptor.pipe()
        var alone = try Self.coded(Self.request(opened: terminal))
        #expect(try alone.take([terminal]) == nil)
        #expect(alone.prompt?.surroundings.opened?.device === terminal)
        var both = try Self.coded(Self.request(opened: terminal))
        #expect(try both.take([password, terminal]) === password)
        #expect(both.prompt?.surroundings.opened?.device === terminal)
        #expect(both.prompt?.surroundings.environment == ["TERM": "xterm"])
    }

    @Test("A request that announces none brings none, and the other way round")
    func mustAgree() throws {
        let (terminal, password) = try FileDescriptor.pipe()
        var plain = try Self.coded(Self.request(opened: nil))
        #expect(try plain.take([password]) === password)
        #expect(plain.prompt?.surroundings.opened == nil)
        for attached in [[], [password, terminal, password]] {
            var announced = try Self.coded(Self.request(opened: terminal))
            #expect(failure { () throws(Refusal) in _ = try announced.take(attached) }?.rule == .malformedFrame)
        }
        var none = AuthenticationRequest.capabilities
        #expect(failure { () throws(Refusal) in _ = try none.take([terminal]) }?.rule == .malformedFrame)
    }
}
