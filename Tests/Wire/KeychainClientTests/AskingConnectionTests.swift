import KeychainClient
import KeychainModel
import KeychainWire
import LinuxSystem
import Testing

/// A keychain whose items all need the user, and that says what it was asked.
private final class GuardedKeychain: KeychainConnection {
    struct Seen: Sendable {
        var plain = 0
        var contexts: [[UInt8]?] = []
        var descriptors = 0
        var invalidated: [[UInt8]] = []
    }

    private let state = Lock(Seen())
    let pages: UInt64

    init(pages: UInt64 = 1) { self.pages = pages }

    var seen: Seen { state.withLock { $0 } }

    static let lack = Refusal(.authNeeded, .needsUser, "accc", "It is guarded.", do: "Ask.")

    func send(_ request: ItemRequest) throws(Refusal) -> ItemResponse {
        state.withLock { $0.plain += 1 }
        throw Self.lack
    }

    func device(_: DeviceRequest, passcodes _: [FileDescriptor]) throws(Refusal) -> DeviceReply { .done }

    func key(_: KeyRequest) throws(Refusal) -> KeyReply { throw Self.lack }

    func authentication(
        _ request: AuthenticationRequest, descriptors: [FileDescriptor]
    ) throws(Refusal) -> AuthenticationReply {
        switch request {
        case .perform(.item(let inner), let context, _):
            state.withLock { seen in
                seen.contexts.append(context)
                seen.descriptors += descriptors.count
            }
            let writer = ResponseWriter()
            writer.begin(id: 1)
            writer.beginItem(.genericPassword)
            writer.endItem()
            writer.end(cursor: inner.cursor + 1 < pages ? inner.cursor + 1 : 0)
            let answer = writer.complete()
            return .item(try ItemResponse(status: answer.status, body: answer.body))
        case .invalidate(let context):
            state.withLock { $0.invalidated.append(context) }
            return .done
        default: throw .malformed("the request of this test")
        }
    }
}

@Suite("A connection that has the user asked")
struct AskingConnectionTests {
    private static func search() -> ItemRequest {
        var request = ItemRequest(.copyMatching)
        (request.itemClass, request.limit) = (.genericPassword, .all)
        return request
    }

    @Test("A request goes plainly first, and once more with a prompt")
    func plainFirst() throws {
        let keychain = GuardedKeychain()
        let connection = AskingConnection(keychain, Asking(prompt: Prompt()), startsPlainly: true)
        #expect(try connection.send(Self.search()).items.count == 1)
        #expect(keychain.seen.plain == 1 && keychain.seen.contexts == [nil])
    }

    @Test("Where nobody may be asked the refusal says so, and nothing is asked (KEYCHAIN_INTERACTION=never)")
    func never() throws {
        let keychain = GuardedKeychain()
        let connection = AskingConnection(
            keychain, Asking(prompt: Prompt(interaction: .never)), startsPlainly: true)
        do throws(Refusal) {
            _ = try connection.send(Self.search())
            Issue.record("it was answered")
        } catch {
            #expect(error.status == .interactionNotAllowed && error.rule == .needsUser)
        }
        #expect(keychain.seen.contexts.isEmpty)
    }

    @Test("A context and its password go along, also where nobody may be asked")
    func contexts() throws {
        let keychain = GuardedKeychain()
        let identifier = [UInt8](repeating: 3, count: 16)
        let password = SecretBytes(copying: Array("p".utf8).span)
        let asking = Asking(context: identifier, password: password, prompt: Prompt(interaction: .never))
        _ = try AskingConnection(keychain, asking, startsPlainly: true).send(Self.search())
        #expect(keychain.seen.contexts == [identifier] && keychain.seen.descriptors == 1)
        #expect(keychain.seen.invalidated.isEmpty)
    }

    @Test("The pages after the first share a context, which ends with the connection")
    func pages() throws {
        let keychain = GuardedKeychain(pages: 4)
        do {
            let connection = AskingConnection(keychain, Asking(prompt: Prompt()), startsPlainly: false)
            #expect(try connection.sendAll(Self.search()).items.count == 4)
        }
        let contexts = keychain.seen.contexts
        #expect(contexts.count == 4 && contexts[0] == nil)
        #expect(Set(contexts.dropFirst()).count == 1 && contexts[1] != nil)
        #expect(keychain.seen.invalidated == [contexts[1]])
    }

    @Test("Requests that are one thing to the user share a context, which ends with them")
    func together() throws {
        let keychain = GuardedKeychain()
        let connection = AskingConnection(keychain, Asking(prompt: Prompt()), startsPlainly: false)
        try connection.inOneContext { () throws(Refusal) in
            for _ in 0..<2 { _ = try connection.send(Self.search()) }
        }
        _ = try connection.send(Self.search())
        let contexts = keychain.seen.contexts
        #expect(contexts.count == 3 && contexts[0] != nil && contexts[0] == contexts[1] && contexts[2] == nil)
        #expect(keychain.seen.invalidated == [contexts[0]])
    }
}
