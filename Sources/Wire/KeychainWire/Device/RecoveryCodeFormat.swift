/// How a recovery code is handed over.
package enum RecoveryCodeFormat {
    /// Bytes of the memory file for a code, which is followed by zeros.
    package static let room = 64
}
