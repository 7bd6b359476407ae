internal import EmbeddedKeychain
public import Foundation
package import KeychainClient
internal import KeychainModel
package import KeychainPolicy
internal import SecureEnclave
internal import Security

/// A keychain of a test's own: nothing of it is shared with the user's keychain or with other tests.
///
/// The functions of `Security` use it inside `run`:
///
///     let keychain = try TestKeychain()
///     keychain.run {
///         #expect(SecItemAdd(query as CFDictionary, nil) == errSecSuccess)
///     }
///     try keychain.device.setPasscode("1234")
///     keychain.device.lock()
///
/// It is the real engine over a real store, in memory unless a folder is given, with a ``SimulatedDevice`` around it.
public final class TestKeychain: Sendable {
    /// The device the keychain is on.
    public let device: SimulatedDevice
    /// The folder of the store.
    public let folder: URL

    private let isTemporary: Bool
    private let program: TestProgram
    private let transport: Transport

    /// Puts something between a program and the device, such as a real socket; for this project's own tests.
    package typealias Transport = @Sendable (any KeychainConnection, CallerIdentity) -> any KeychainConnection

    /// Makes an empty keychain, or opens the one that a folder holds.
    ///
    /// - Parameters:
    ///   - accessGroups: the access groups of the program under test; the first is where its items go by default.
    ///   - folder: where the store lies; by default in memory, gone with this object.
    /// - Throws: ``TestKeychainError`` when the store cannot be made.
    public convenience init(accessGroups: [String] = ["TEST.program"], folder: URL? = nil) throws {
        try self.init(accessGroups: accessGroups, folder: folder) { connection, _ in connection }
    }

    /// As ``init(accessGroups:folder:)``, with a transport between programs and device.
    package init(accessGroups: [String], folder: URL? = nil, transport: @escaping Transport) throws {
        isTemporary = folder == nil
        self.transport = transport
        self.folder = folder ?? Self.memory.appending(path: "keychain-test-\(UUID().uuidString)")
        device = try SimulatedDevice(folder: self.folder.path)
        program = TestProgram(accessGroups: accessGroups, device, transport)
    }

    deinit {
        guard isTemporary else { return }
        device.close()
        try? FileManager.default.removeItem(at: folder)
    }

    /// Runs code whose calls of `Security` go to this keychain: those of the current task and of tasks it starts.
    public func run<Result>(_ body: () throws -> Result) rethrows -> Result { try program.run(body) }

    /// Runs asynchronous code whose calls of `Security` go to this keychain.
    public func run<Result: Sendable>(_ body: @Sendable () async throws -> Result) async rethrows -> Result {
        try await program.run(body)
    }

    /// Another program on the same device, with access groups of its own.
    public func program(accessGroups: [String]) -> TestProgram {
        TestProgram(accessGroups: accessGroups, device, transport)
    }

    /// Another program with a name of its own: what the user showed for one program serves no other.
    public func program(named name: String, accessGroups: [String]) -> TestProgram {
        TestProgram(name, accessGroups: accessGroups, device, transport)
    }

    /// Makes all calls of this process go to this keychain, those of every thread, until ``uninstall()``.
    public func install() { KeychainSession.install(program.connection) }

    /// Ends what ``install()`` began.
    public func uninstall() { KeychainSession.install(nil) }

    /// A file system in memory where there is one.
    private static var memory: URL {
        let shared = URL(filePath: "/dev/shm")
        return FileManager.default.isWritableFile(atPath: shared.path) ? shared : FileManager.default.temporaryDirectory
    }
}

/// A program as the keychain sees it: a set of access groups.
public final class TestProgram: Sendable {
    let connection: any KeychainConnection

    init(
        _ name: String = "the program under test", accessGroups: [String], _ device: SimulatedDevice,
        _ transport: TestKeychain.Transport
    ) {
        // A program with access groups of its choice is a signed one.
        let caller = CallerIdentity(
            user: 0, process: 0, program: name, provenance: .signed(team: "TEAM", identifier: name),
            groups: accessGroups)
        connection = transport(DeviceConnection(device, caller), caller)
    }

    /// Runs code whose calls of `Security` come from this program.
    public func run<Result>(_ body: () throws -> Result) rethrows -> Result {
        try KeychainSession.scoped(to: connection, body)
    }

    /// Runs asynchronous code whose calls of `Security` come from this program.
    public func run<Result: Sendable>(_ body: @Sendable () async throws -> Result) async rethrows -> Result {
        try await KeychainSession.scoped(to: connection, body)
    }
}

/// Why the simulated keychain could not do something.
public struct TestKeychainError: Error, CustomStringConvertible {
    /// The status a program would get.
    public let status: Int32
    /// The problem and its remedy.
    public let description: String

    init(_ refusal: Refusal) {
        status = refusal.status.rawValue
        description = "\(refusal.problem) \(refusal.remedy)"
    }
}
