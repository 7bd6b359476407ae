import CertificateWire
import Glibc
import KeychainCrypto
import KeychainModel
import KeychainWire
import LinuxSystem

/// The work of `keychain-pki`: one task from standard input, one answer on standard output.
///
/// It reads what strangers have written, so it has no keychain, no network, no files and no other programs, and bounded
/// memory and time. `security` gives it what it needs and believes none of its answers.
package enum CertificateWorker {
    private static let output = FileDescriptor(owning: STDOUT_FILENO)

    /// Carries out the task.
    ///
    /// - Returns: 0 when there is an answer, if only a refusal; 1 when this program could not give up its rights; 2
    ///   when it was not started by `security`.
    package static func run(argumentCount: CInt) -> Int32 {
        guard argumentCount == 1, isatty(STDIN_FILENO) == 0 else { return complain("started by security alone", 2) }
        do throws(SystemError) { try confine() } catch { return complain("cannot give up its rights: \(error)", 1) }
        let answer = SecretBuffer()
        do throws(Refusal) { try perform(try readTask(), answer) } catch {
            answer.removeAll()
            answer.append(littleEndian: error.status.rawValue)
            error.append(to: answer)
        }
        do throws(SystemError) {
            try answer.withSpan { (bytes) throws(SystemError) in try output.writeFully(bytes) }
        } catch {
            return 1
        }
        return 0
    }

    private static func complain(_ problem: String, _ status: Int32) -> Int32 {
        let line = Array("keychain-pki: \(problem)\n".utf8)
        _ = try? FileDescriptor(owning: STDERR_FILENO).writeFully(line.span)
        return status
    }

    /// The most memory that the largest file takes, with the objects made of it.
    private static let limits = ProcessLimits(memoryBytes: 1 << 30, processorSeconds: 60, openFiles: 16)

    /// Gives up everything that the work does not need. OpenSSL's old ciphers are a file, which is loaded before.
    private static func confine() throws(SystemError) {
        PKCS12.loadCiphers()
        try ProcessHardening.forbidDumps()
        try ProcessHardening.forbidNewPrivileges()
        try FileSystemRestriction.apply(only: [])
        try ProcessHardening.forbidReachingOut([.programs, .neighbours, .networks, .connections])
        try limits.apply()
    }

    private static func readTask() throws(Refusal) -> SecretBytes {
        let input = FileDescriptor(owning: STDIN_FILENO)
        let task = SecretBuffer(capacity: 1 << 16)
        do throws(SystemError) {
            while true {
                let before = task.count
                var count: Int?
                try task.append(count: 1 << 16) { (span) throws(SystemError) in count = try input.read(into: &span) }
                task.truncate(to: before + (count ?? 0))
                if count == 0 { return task.finish() }
                guard task.count <= CertificateLimits.taskBytes else { throw SystemError(code: EFBIG, call: "read") }
            }
        } catch { throw .malformed("the task") }
    }
}

/// The tasks by their numbers.
extension CertificateWorker {
    private static func perform(_ task: SecretBytes, _ answer: SecretBuffer) throws(Refusal) {
        var reader = WireReader(task)
        switch try reader.certificateTask() {
        case .readFile: try perform(&reader, answer) { (task: ReadFile) throws(Refusal) in try task.answer() }
        case .describe:
            try perform(&reader, answer) { (task: DescribeCertificates) throws(Refusal) in try task.answer() }
        case .evaluate: try perform(&reader, answer) { (task: EvaluateTrust) throws(Refusal) in try task.answer() }
        case .writeFile: try perform(&reader, answer) { (task: WriteFile) throws(Refusal) in try task.answer() }
        case .makeKeys: try perform(&reader, answer) { (task: MakeKeys) throws(Refusal) in try task.answer() }
        case .writeMessage: try perform(&reader, answer) { (task: WriteMessage) throws(Refusal) in try task.answer() }
        case .readMessage: try perform(&reader, answer) { (task: ReadMessage) throws(Refusal) in try task.answer() }
        case .writeTrustSettings:
            try perform(&reader, answer) { (task: WriteTrustSettings) throws(Refusal) in try task.answer() }
        case .readTrustSettings:
            try perform(&reader, answer) { (task: ReadTrustSettings) throws(Refusal) in try task.answer() }
        }
    }

    private static func perform<Task: CertificateTask>(
        _ reader: inout WireReader, _ answer: SecretBuffer, _ body: (Task) throws(Refusal) -> Task.Answer
    ) throws(Refusal) {
        let task = try Task(reading: &reader)
        guard reader.isAtEnd else { throw .malformed("the end of the task") }
        let result = try body(task)
        answer.append(littleEndian: Int32(0))
        result.append(to: answer)
    }
}
