internal import Glibc

/// The one table behind `SecCopyErrorMessageString` and the `security` command.
///
/// The wording is this project's own, except where scripts match on Apple's.
extension StatusMessages {
    /// The meaning of a status as one sentence; never empty.
    ///
    /// - Parameter status: an `OSStatus`. 100000 to 100255 stand for the `errno` values 0 to 255 and give `UNIX[…]`
    ///   around the system's text. Any other status that is not in the table gives `OSStatus N`.
    package static func message(for status: Int32) -> String {
        for table in tables {
            if let message = table[status] { return message }
        }
        if systemErrors.contains(status) { return "UNIX[\(systemMessage(for: status - systemErrors.lowerBound))]" }
        return "OSStatus \(status)"
    }

    private static let tables = [
        keychain, operation, context, module, certificate, timestamp, codeSigning, transport,
    ]

    private static let systemErrors: ClosedRange<Int32> = 100_000...100_255

    private static func systemMessage(for code: Int32) -> String {
        unsafe String(cString: strerror(code))
    }
}
