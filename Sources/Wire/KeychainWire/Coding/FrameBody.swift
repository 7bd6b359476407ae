package import LinuxSystem

/// A request as it travels in a frame.
package protocol FrameBody {
    /// Appends the body to a frame under construction.
    func append(to buffer: SecretBuffer)
}
