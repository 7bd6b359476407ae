import EnclaveWire
import KeychainModel
import KeychainWire
import LinuxSystem

/// Which program asks the user.
enum AgentChoice {
    case none
    /// `keychain-agent` in the folder of this program, where it is installed.
    case beside
    case named(String)
    /// The agent that the enclave's starter gives, and the next one when that has gone.
    case given(AgentQueue)

    init(_ text: String) { self = text == "none" ? .none : .named(text) }

    /// The connection to an agent.
    struct Launched {
        let socket: UnixSocket
        var process: ChildProcess?
        var desk: AgentQueue?
    }

    /// Starts it. An enclave whose agent cannot be started serves without prompts.
    ///
    /// - Parameters:
    ///   - user: the user whose sessions it watches, if that is another one than its own.
    ///   - report: called with the reason why it cannot be started.
    func launch(
        pinentry: String, confinement: AgentConfinement, watching user: UInt32?, report: (Refusal) -> Void
    ) -> Launched? {
        if case .given(let queue) = self {
            let desk = queue.watching(user)
            return desk.next().map { Launched(socket: $0, desk: desk) }
        }
        guard let path else { return nil }
        do throws(Refusal) {
            let (socket, process) = try AgentProcess.launch(
                executable: path, pinentry: pinentry, confinement: confinement, watching: user)
            return Launched(socket: socket, process: process)
        } catch {
            report(error)
            return nil
        }
    }

    private var path: String? {
        switch self {
        case .none, .given: return nil
        case .named(let path): return path
        case .beside:
            let own = (try? ExecutableFile(ofProcess: CurrentProcess.identifier))?.path ?? ""
            let path = own[..<(own.lastIndex(of: "/") ?? own.startIndex)] + "/keychain-agent"
            return (try? FileStatus(at: String(path)))?.isRegularFile == true ? String(path) : nil
        }
    }
}
