import KeychainClient
import KeychainModel
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@testable import Security

@Suite("One watch of access groups")
struct GroupChangeWatchTests {
    @Test("A change that was noticed before the keychain refuses to tell more can still be taken")
    func refusedLater() async throws {
        let changes = try await KeychainSession.scoped(to: LosesGroup()) { try KeychainChanges(in: ["group"]) }
        let watch = changes.makeWatch()
        let signals = AsyncThrowingStream<Void, any Error> { watch.signal($0) }
        let error = await #expect(throws: SecItemError.self) { for try await _ in signals {} }
        #expect(error?.status == errSecMissingEntitlement)
        #expect(watch.take() == KeychainChange(group: "group", number: 2))
        #expect(watch.take() == nil)
    }
}

extension GroupChangeWatchTests {
    @Test("The request under way ends with its watch")
    func endsItsRequest() async throws {
        let keychain = Waits()
        let changes = try await KeychainSession.scoped(to: keychain) { try KeychainChanges(in: ["group"]) }
        let watch = changes.makeWatch()
        try watch.listen { _ in }
        let cancellation = try #require(keychain.asked.wait(deadline: soon) { $0 })
        #expect(!cancellation.isCancelled)
        watch.end()
        #expect(cancellation.isCancelled)
        keychain.asked.update { $0 = nil }
    }
}

extension GroupChangeWatchTests {
    @Test("Two callbacks that end each other's watches wait for nobody, and nobody is called after that")
    func endEachOther() async throws {
        let changes = try await KeychainSession.scoped(to: LosesGroup()) { try KeychainChanges(in: ["group"]) }
        let others = try await KeychainSession.scoped(to: LosesGroup()) { try KeychainChanges(in: ["group"]) }
        let watches = [changes.makeWatch(), others.makeWatch()]
        let (inside, ended, returned) = (Monitor(0), Monitor(0), Monitor(0))
        for (number, watch) in watches.enumerated() {
            let other = watches[1 - number]
            try watch.listen { change in
                #expect(change?.number == 2)
                inside.update { $0 += 1 }
                _ = inside.wait { $0 >= 2 ? () : nil }
                other.end()
                ended.update { $0 += 1 }
                _ = ended.wait { $0 >= 2 ? () : nil }
                returned.update { $0 += 1 }
            }
        }
        try #require(returned.wait(deadline: soon) { $0 == 2 ? () : nil } != nil)
        for watch in watches { watch.end() }
        #expect(returned.update { $0 } == 2)
    }
}

/// A keychain that does not answer before the test is over.
private final class Waits: KeychainConnection {
    let asked = Monitor<RequestCancellation?>(nil)

    func device(_ request: DeviceRequest, passcodes: [FileDescriptor]) throws(Refusal) -> DeviceReply {
        .groups([GroupNumber(group: "group", number: 1)])
    }

    func device(
        _ request: DeviceRequest, until cancellation: RequestCancellation
    ) throws(Refusal) -> DeviceReply {
        asked.update { $0 = cancellation }
        _ = asked.wait { $0 == nil ? () : nil }
        return try device(request, passcodes: [])
    }

    func send(_ request: ItemRequest) throws(Refusal) -> ItemResponse { throw .malformed("a request") }
    func key(_ request: KeyRequest) throws(Refusal) -> KeyReply { throw .malformed("a request") }
    func authentication(
        _ request: AuthenticationRequest, descriptors: [FileDescriptor]
    ) throws(Refusal) -> AuthenticationReply { throw .malformed("a request") }
}

/// A keychain in which a group changes once, and is its program's no longer then.
private final class LosesGroup: KeychainConnection {
    private let numbers = Lock<UInt64>(0)

    func device(_ request: DeviceRequest, passcodes: [FileDescriptor]) throws(Refusal) -> DeviceReply {
        let number = numbers.withLock { number in
            number += 1
            return number
        }
        guard number <= 2 else { throw Self.refusal }
        return .groups([GroupNumber(group: "group", number: number)])
    }

    private static let refusal = Refusal(
        .missingEntitlement, .foreignGroup, "group", "The group is not the program's.", do: "Ask for another one.")

    func send(_ request: ItemRequest) throws(Refusal) -> ItemResponse { throw Self.refusal }
    func key(_ request: KeyRequest) throws(Refusal) -> KeyReply { throw Self.refusal }
    func authentication(
        _ request: AuthenticationRequest, descriptors: [FileDescriptor]
    ) throws(Refusal) -> AuthenticationReply { throw Self.refusal }
}
