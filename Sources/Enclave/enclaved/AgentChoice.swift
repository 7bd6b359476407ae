import KeychainModel
import KeychainWire
import LinuxSystem

/// Which program asks the user.
enum AgentChoice: Equatable {
    case none
    /// `keychain-agent` beside this program, where it is installed.
    case beside
    case named(String)

    init(_ text: String) { self = text == "none" ? .none : .named(text) }

    /// Starts it. An enclave whose agent cannot be started serves all the same, and asks nobody.
    ///
    /// - Parameter report: is told why it cannot be started.
    func launch(
        pinentry: String, confinement: AgentConfinement, report: (Refusal) -> Void
    ) -> (UnixSocket, ChildProcess)? {
        guard let path else { return nil }
        do throws(Refusal) {
            return try AgentProcess.launch(executable: path, pinentry: pinentry, confinement: confinement)
        } catch {
            report(error)
            return nil
        }
    }

    private var path: String? {
        switch self {
        case .none: return nil
        case .named(let path): return path
        case .beside:
            let own = (try? ExecutableFile(ofProcess: CurrentProcess.identifier))?.path ?? ""
            let path = own[..<(own.lastIndex(of: "/") ?? own.startIndex)] + "/keychain-agent"
            return (try? FileStatus(at: String(path)))?.isRegularFile == true ? String(path) : nil
        }
    }
}
