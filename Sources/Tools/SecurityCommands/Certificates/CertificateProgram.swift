import CertificateWire
import KeychainClient
import KeychainModel
import KeychainWire
import LinuxSystem

/// The program `keychain-pki`, which reads, makes and verifies what needs OpenSSL. This process alone has the keychain:
/// it hands over bytes and takes bytes back, and believes nothing in them.
struct CertificateProgram {
    private static let name = "keychain-pki"
    /// Longer than the program may compute: milliseconds.
    private static let patience = 90_000

    /// Has a task carried out.
    ///
    /// - Parameter call: what macOS's command names in the message of a refusal.
    static func perform<Task: CertificateTask>(_ task: Task, _ call: String) throws(CommandFailure) -> Task.Answer {
        guard let path = InstalledPrograms.find(name) else {
            throw .failed("\(name) is not installed", remedy: "Install it in the folder of `security`.")
        }
        let answer = try run(path, task.encoded())
        do throws(Refusal) {
            var reader = WireReader(answer)
            return try reader.certificateAnswer(Task.Answer.self)
        } catch { throw .refused(call: call, error) }
    }

    private static func run(_ path: String, _ task: SecretBytes) throws(CommandFailure) -> SecretBytes {
        do throws(SystemError) {
            let (answer, code) = try ChildProcess.answer(
                of: path, to: task, atMost: CertificateLimits.answerBytes,
                deadline: .after(milliseconds: patience))
            if code == 0 { return answer }
        } catch { throw CommandFailure(path, error) }
        throw .failed(
            "\(name) ended without an answer", cause: "It may have needed more memory or time than it is allowed.",
            remedy: "Look at the file with `openssl`.")
    }
}
