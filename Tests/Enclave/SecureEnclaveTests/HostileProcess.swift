import EnclaveWire
import Glibc
import KeychainModel
import KeychainWire
import LinuxSystem
import TestSupport

/// keychain-enclaved itself with a malicious daemon at its channel, and with an agent whose user answers as the test
/// says.
final class HostileProcess: Sendable {
    let device: TestDevice
    let daemon: MaliciousDaemon
    private let process: ChildProcess
    private let agent: String

    /// - Parameter answers: of the user, in order; see Tests/Programs/scripted-agent.
    init(_ device: TestDevice = TestDevice(), answers: [String]) throws {
        self.device = device
        agent = device.folder.file("agent")
        try AtomicFile.replace("\(agent).answers", with: Array(answers.joined(separator: "\n").utf8).span)
        let program = try EnclaveProgram.path.replacing("keychain-enclaved", with: "scripted-agent")
        _ = unsafe symlink(program, agent)
        let (ours, theirs) = try UnixSocket.pair()
        process = try ChildProcess.start(
            try EnclaveProgram.path, ["--vault", device.vault, "--channel", "3", "--create", "--agent", agent],
            handing: [theirs.descriptor])
        daemon = MaliciousDaemon(channel: try RawChannel(device, ours))
    }

    /// The questions that the user has been asked.
    var questions: [UserQuestion.Kind] {
        let bytes = (try? AtomicFile.read("\(agent).questions", limit: 1 << 16)) ?? []
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").compactMap {
            UInt8($0).flatMap(UserQuestion.Kind.init(rawValue:))
        }
    }

    /// Ends the enclave as a crash does.
    func kill() {
        process.kill()
        process.reap()
    }

    deinit { kill() }
}
