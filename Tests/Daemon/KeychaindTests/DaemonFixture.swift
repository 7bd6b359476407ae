import Glibc
import KeychainClient
import KeychainModel
import KeychainWire
import LinuxSystem
import TestSupport

/// A keychain folder of a test's own, and the daemon that serves it; the daemon ends with the test.
final class DaemonFixture {
    let directory: TemporaryDirectory
    var configuration: Configuration

    init() throws {
        let directory = try TemporaryDirectory()
        self.directory = directory
        configuration = try Configuration { name in
            [
                "KEYCHAIN_HOME": directory.file("k"), "KEYCHAIN_MODE": "daemon", "KEYCHAIN_DAEMON": Self.program,
                "KEYCHAIN_TPM": "none",
            ][name]
        }
    }

    deinit { try? stop() }

    /// The folder the programs were built into: that of this test.
    static let products: String = {
        let own = (try? ExecutableFile(ofProcess: CurrentProcess.identifier))?.path ?? ""
        return String(own[..<(own.lastIndex(of: "/") ?? own.endIndex)])
    }()

    static let program = products + "/keychaind"

    func reach() throws -> Connection? { try Connection.reach(configuration) }

    /// The daemon's process, by the kernel's word.
    func process() throws -> PeerCredentials {
        try PeerCredentials(of: try UnixSocket.connect(to: configuration.socket, deadline: soon))
    }

    /// Ends the daemon, if one serves, and waits for its end.
    func stop(with signal: CInt = SIGTERM) throws {
        guard let daemon = try? process() else { return }
        kill(daemon.process, signal)
        try daemon.processDescriptor?.wait(for: .readable, deadline: soon)
        // A child that nobody waits for would keep the test runner from hearing of the end of any other.
        waitpid(daemon.process, nil, WNOHANG)
    }

    /// The daemon's log.
    var log: String {
        let bytes = try? AtomicFile.read(configuration.folder + "/keychaind.log", limit: 1 << 20)
        return String(decoding: bytes ?? [], as: UTF8.self)
    }
}

extension KeychainConnection {
    /// Stores a password.
    func add(_ account: String) throws(Refusal) {
        _ = try send(Self.request(.add, account))
    }

    /// Whether there is a password for the account.
    func has(_ account: String) throws(Refusal) -> Bool {
        do throws(Refusal) { return try send(Self.request(.copyMatching, account)).items.count == 1 } catch {
            guard error.status == .itemNotFound else { throw error }
            return false
        }
    }

    private static func request(_ operation: ItemRequest.Operation, _ account: String) -> ItemRequest {
        let buffer = SecretBuffer()
        buffer.append(.account, .string(account))
        buffer.append(.service, .string("test"))
        if operation == .add { buffer.append(.valueData, .data(Array("secret".utf8))) }
        var request = ItemRequest(operation)
        request.itemClass = .genericPassword
        if operation == .copyMatching { request.returns = [.data] }
        if let query = try? AttributeList(parsing: buffer.copy()) { request.query = query }
        return request
    }
}
