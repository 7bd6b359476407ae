import Glibc

/// A failed system call and its reason.
package struct SystemError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The `errno` of the failure; `ETIMEDOUT` when a deadline passed.
    package let code: CInt
    /// The system call, by its manual page's name.
    package let call: String
    /// The exact problem and its remedy, where the code alone does not say it.
    package let advice: String

    package init(code: CInt, call: String, advice: String = "") {
        self.code = code
        self.call = call
        self.advice = advice
    }

    /// Whether this process is not allowed to look.
    package var isDenial: Bool { code == EACCES || code == EPERM }

    package var description: String {
        let reason = unsafe String(cString: strerror(code))
        return advice.isEmpty ? "\(call): \(reason)" : "\(call): \(reason): \(advice)"
    }
}

/// Repeats a system call until no signal interrupts it, and turns its -1 into an error.
@inline(__always)
func retrying<Result: SignedInteger>(_ call: String, _ body: () -> Result) throws(SystemError) -> Result {
    while true {
        let result = body()
        if result >= 0 { return result }
        let code = errno
        if code != EINTR { throw SystemError(code: code, call: call) }
    }
}

/// As `retrying`, for calls on non-blocking descriptors: `nil` when the call would block.
@inline(__always)
func unlessBlocked<Result: SignedInteger>(_ call: String, _ body: () -> Result) throws(SystemError) -> Result? {
    while true {
        let result = body()
        if result >= 0 { return result }
        let code = errno
        if code == EAGAIN { return nil }
        if code != EINTR { throw SystemError(code: code, call: call) }
    }
}
