import Glibc
import KeychainModel
import KeychainWire
import LinuxSystem
import SecureEnclave
import TestSupport

/// An enclave behind a channel, served by a thread of this process.
final class ServedEnclave: Sendable {
    let device = TestDevice()
    let connection: EnclaveConnection
    let enclave: SoftwareEnclave
    private let server: Thread

    init(user: (any UserAgent)? = nil) throws {
        let (ours, theirs) = try UnixSocket.pair()
        enclave = try device.start(user: user)
        server = try Self.serve(enclave, theirs)
        connection = try EnclaveConnection(ours)
    }

    /// Waits until the enclave's end of the channel has ended, which it does when the daemon's has.
    func waitForEnd() { server.join() }

    /// Serves until the daemon's end goes.
    static func serve(_ enclave: any EnclaveService, _ channel: UnixSocket) throws -> Thread {
        try Thread(named: "server") { try? EnclaveServer(enclave, channel: channel).run() }
    }
}

/// The daemon's end of a channel with nothing between the test and the bytes.
final class RawChannel: Sendable {
    let device = TestDevice()
    let socket: EnclaveSocket
    let memory: SharedMemory
    let server: Thread

    init(user: (any UserAgent)? = nil) throws {
        let (ours, theirs) = try UnixSocket.pair()
        socket = EnclaveSocket(ours)
        memory = try SharedMemory(count: EnclaveChannelFormat.memorySize)
        server = try ServedEnclave.serve(try device.start(user: user), theirs)
        try sayHello()
    }

    private func sayHello() throws {
        let hello = EnclaveChannelFormat.hello
        let word = EnclaveCall(.hello).word
        try socket.send(word, hello.span, attaching: [memory.descriptor], deadline: soon)
        guard try socket.receive(deadline: soon)?.word == 0 else { throw SystemError(code: EPROTO, call: "hello") }
    }

    func call(_ word: UInt32, _ body: [UInt8] = [], lane number: Int = 0, into answer: SecretBuffer) throws -> Int32 {
        let lane = EnclaveLane(number, in: memory)
        return Int32(bitPattern: try lane.call(word, body.span, into: answer, deadline: soon))
    }
}

/// The program that the package builds beside these tests.
enum EnclaveProgram {
    static var path: String {
        get throws {
            let tests = try ExecutableFile(ofProcess: getpid()).path
            return "\(tests[..<(tests.lastIndex(of: "/") ?? tests.endIndex)])/keychain-enclaved"
        }
    }

    static func start(_ device: TestDevice, createIfMissing: Bool = true) throws -> EnclaveConnection {
        try EnclaveProcess.start(executable: path, vault: device.vault, createIfMissing: createIfMissing)
    }
}
