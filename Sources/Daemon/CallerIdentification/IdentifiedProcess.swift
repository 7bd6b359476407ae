import KeychainPolicy
import LinuxSystem

/// A process that was identified, as it is watched from then on.
final class IdentifiedProcess: CallerProcess {
    /// The file that an anchored process executed when it was identified, and the memory that the file was loaded into.
    struct Execution {
        let program: ExecutingProcess
        let image: ProcessImage
    }

    /// The file that it was identified by.
    let version: FileVersion
    /// Whether it was here before, and its next connection may rest on this look at it.
    let isKnown: Bool
    /// Nil for this process, which ends together with the asking code.
    private let peer: PeerCredentials?
    private let execution: Execution?

    init(_ peer: PeerCredentials?, _ version: FileVersion, _ execution: Execution? = nil, isKnown: Bool = false) {
        (self.peer, self.version, self.execution, self.isKnown) = (peer, version, execution, isKnown)
    }

    var isUnchanged: Bool {
        // A process that still executes the same file lives.
        if let execution { return execution.image.isExecuted && execution.program.isUnchanged }
        return peer?.isAlive ?? true
    }
}
