import KeychainWire
package import LinuxSystem

/// A question that every daemon answers at once, whatever it does otherwise.
package enum DaemonProbe {
    /// Whether the daemon at the other end answers, or closes the connection, in so many milliseconds.
    ///
    /// It asks for the number of an introduction (docs/formats/protocol.md), which takes neither store nor enclave.
    package static func answers(_ connection: UnixSocket, within milliseconds: UInt32) -> Bool {
        let channel = Channel(connection, introduces: false)
        do throws(Channel.Failure) {
            _ = try channel.ask(.init(kind: .introduction, deadline: milliseconds), IntroductionRequest.begin)
            return true
        } catch {
            if case .late = error { return false }
            return true
        }
    }
}
