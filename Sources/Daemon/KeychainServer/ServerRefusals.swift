import KeychainModel
import KeychainWire
import LinuxSystem

// The refusals a server makes itself, before an engine has seen the request.
extension Refusal {
    static let busy = Refusal(
        .notAvailable, .unavailable, "queue", "Too many requests are waiting; this one was not performed.",
        do: "Try again.")

    static let overfull = Refusal(
        .notAvailable, .unavailable, "memory", "Unfinished frames and unread answers fill the daemon's buffers.",
        do: "Finish what was begun, then connect again.")

    static let attachments = Refusal(
        .param, .malformedFrame, "descriptors", "Other file descriptors came with the frame than belong to it.",
        do: "Use a client and a daemon of the same release.")

    /// A complete frame that refuses the request with this id.
    func frame(id: UInt32) -> SecretBytes {
        let writer = ResponseWriter()
        writer.refuse(self, id: id)
        return writer.buffer.copy()
    }
}
