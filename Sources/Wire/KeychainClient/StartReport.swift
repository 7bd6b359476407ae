import LinuxSystem

/// The answer of a daemon to the program that has started it, over a pipe.
///
///     report = %x01 / reason / nothing
///
/// The byte says that the daemon serves, a reason why it does not. Nothing comes when another daemon serves already, or
/// when this one was killed.
package enum StartReport {
    package static let serves: UInt8 = 1
    /// The longest reason: bytes. A pipe takes as many at once.
    package static let longest = 1000

    /// Waits for the report.
    ///
    /// - Returns: why the daemon does not serve; nil when it does, or has not said.
    /// - Throws: `SystemError` of `read`; `ETIMEDOUT` when the deadline passed first.
    static func read(_ pipe: FileDescriptor, by deadline: Deadline) throws(SystemError) -> String? {
        var bytes = [UInt8](repeating: 0, count: longest)
        var span = bytes.mutableSpan
        var count = 0
        // A daemon that serves keeps its end open.
        while count < longest, count == 0 || span[0] != serves {
            try pipe.wait(for: .readable, deadline: deadline)
            guard let more = try pipe.read(into: &span, from: count), more > 0 else { break }
            count += more
        }
        return count == 0 || bytes[0] == serves ? nil : String(decoding: bytes[..<count], as: UTF8.self)
    }
}
