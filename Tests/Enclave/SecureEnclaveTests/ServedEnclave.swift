import EnclaveWire
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
    let device: TestDevice
    let socket: EnclaveSocket
    let memory: SharedMemory

    /// To an enclave that serves at the other end of the socket.
    init(_ device: TestDevice, _ ours: UnixSocket) throws {
        self.device = device
        socket = EnclaveSocket(ours)
        memory = try SharedMemory(count: EnclaveChannelFormat.memorySize)
        try sayHello()
    }

    /// To an enclave that a thread of this process serves.
    static func served(user: (any UserAgent)? = nil) throws -> (RawChannel, Thread) {
        let (ours, theirs) = try UnixSocket.pair()
        let device = TestDevice()
        let server = try ServedEnclave.serve(try device.start(user: user), theirs)
        return (try RawChannel(device, ours), server)
    }

    private func sayHello() throws {
        let hello = EnclaveChannelFormat.hello
        let word = EnclaveCalls.hello.word()
        try socket.send(word, hello.span, attaching: [memory.descriptor], deadline: soon)
        guard try socket.receive(deadline: soon)?.word == 0 else { throw SystemError(code: EPROTO, call: "hello") }
    }

    func call(_ word: UInt32, _ body: [UInt8] = [], slot number: Int = 0, into answer: SecretBuffer) throws -> Int32 {
        let slot = EnclaveSlot(number, in: memory)
        var spin = AdaptiveSpin()
        return Int32(bitPattern: try slot.call(word, body.span, into: answer, &spin, deadline: soon))
    }
}

/// The program that the package builds in the same folder as these tests.
enum EnclaveProgram {
    static var path: String {
        get throws {
            let tests = try ExecutableFile(ofProcess: getpid()).path
            return "\(tests[..<(tests.lastIndex(of: "/") ?? tests.endIndex)])/keychain-enclaved"
        }
    }

    /// A copy where every user finds it: the build may be in a folder of its owner's alone.
    static func copy(into place: TemporaryDirectory) throws -> String {
        let bytes = try AtomicFile.read(path, limit: 1 << 30)
        try AtomicFile.replace(place.file("enclave"), with: bytes.span, mode: 0o755)
        return place.file("enclave")
    }

    static func start(_ device: TestDevice, createIfMissing: Bool = true) throws -> EnclaveConnection {
        try EnclaveProcess.start(executable: path, vault: device.vault, createIfMissing: createIfMissing)
    }
}
