// Replaces keychain-agent in tests that run keychain-enclaved itself: a file contains the answers of its user.
//
//     AGENT --channel FD …
//
// AGENT may be a link. The file AGENT.answers next to it has an answer for each question, one per line and in order:
// "touch", "miss", "fallback", "cancel", "close", or any other word for a passcode. A question without an answer stays
// open until it is withdrawn. The kinds of the questions are appended to AGENT.questions.

import EnclaveWire
import Glibc
import KeychainModel
import KeychainWire
import LinuxSystem

final class ScriptedUser: AgentService {
    private let path: String
    private let asked = Lock(0)

    init(_ path: String) { self.path = path }

    func report() -> AgentReport { AgentReport() }

    func biometry() -> BiometryStatus {
        BiometryStatus(state: .ready, enrolment: [UInt8](repeating: 7, count: BiometryStatus.enrolmentBytes))
    }

    func ask(_ question: UserQuestion, by deadline: Deadline, until withdrawal: Withdrawal) -> UserAnswer {
        note(question)
        let number = asked.withLock { asked in
            defer { asked += 1 }
            return asked
        }
        let bytes = (try? AtomicFile.read("\(path).answers", limit: 1 << 16)) ?? []
        let answers = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        guard number < answers.count else { return waitForEnd(deadline, withdrawal) }
        switch answers[number] {
        case "touch": return .matched
        case "miss": return .noMatch
        case "fallback": return .fallback
        case "close": return .seen
        case "cancel": return .cancelled
        default: return .secret(SecretBytes(copying: Array(answers[number].utf8).span))
        }
    }

    private func note(_ question: UserQuestion) {
        let flags = O_WRONLY | O_CREAT | O_APPEND
        let line = Array("\(question.kind.rawValue)\n".utf8)
        try? FileDescriptor.open("\(path).questions", flags).writeFully(line.span)
    }

    private func waitForEnd(_ deadline: Deadline, _ withdrawal: Withdrawal) -> UserAnswer {
        try? withdrawal.descriptor.wait(for: .readable, deadline: deadline)
        return withdrawal.hasHappened ? .withdrawn : .timedOut
    }
}

let arguments = CommandLine.arguments
guard let option = arguments.firstIndex(of: "--channel"), option + 1 < arguments.count,
    let number = CInt(arguments[option + 1])
else { exit(EXIT_FAILURE) }
try AgentServer(ScriptedUser(arguments[0]), channel: UnixSocket(FileDescriptor(owning: number))).run()
