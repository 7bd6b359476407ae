import CArgon2
package import LinuxSystem

/// Argon2id version 1.3 (RFC 9106): makes a key out of what people can remember, at a price per guess.
package struct Argon2id: Equatable, Sendable {
    /// The price of a guess in memory, in KiB: at least 8 per lane.
    package let memory: UInt32
    /// How often that memory is passed over, at least once.
    package let passes: UInt32
    /// Part of the result; the lanes are computed one after the other, for threads bring nothing at our sizes.
    package let lanes: UInt32

    /// More is not accepted from a file, which could otherwise make the reader run for hours or run out of memory.
    package static let mostMemory: UInt32 = 4 << 20
    package static let mostPasses: UInt32 = 64

    /// - Throws: `CryptoError.invalidParameter` for a price that is not allowed; it may come from a file.
    package init(memory: UInt32, passes: UInt32, lanes: UInt32 = 1) throws(CryptoError) {
        guard (1...16).contains(lanes), (8 * lanes...Self.mostMemory).contains(memory),
            (1...Self.mostPasses).contains(passes)
        else { throw .invalidParameter }
        (self.memory, self.passes, self.lanes) = (memory, passes, lanes)
    }

    /// Derives a key from a password.
    ///
    /// - Parameters:
    ///   - salt: at least 8 random bytes that are kept beside the result.
    ///   - secret: a key kept elsewhere, without which guessing is not possible; may be empty.
    ///   - associatedData: bound to the result; may be empty.
    ///   - count: how many bytes, at least 4.
    /// - Throws: `CryptoError.invalidParameter` for a salt or count that is too short; `.libraryFailure` when there is
    ///   not enough memory.
    package func derive(
        from password: Span<UInt8>, salt: Span<UInt8>, secret: Span<UInt8> = Span(),
        associatedData: Span<UInt8> = Span(), count: Int
    ) throws(CryptoError) -> SecretBytes {
        guard (4...1024).contains(count), (8...1024).contains(salt.count) else { throw .invalidParameter }
        let derived = SecretBytes(count: count)
        var context = unsafe argon2_context()
        unsafe (context.m_cost, context.t_cost, context.lanes, context.threads) = (memory, passes, lanes, 1)
        unsafe context.version = ARGON2_VERSION_13.rawValue
        let result = derived.withMutableSpan { output in
            unsafe lend(password, salt, secret, associatedData, &output, to: &context) { unsafe argon2id_ctx(&$0) }
        }
        guard result == ARGON2_OK.rawValue else { throw .libraryFailure }
        return derived
    }

    private func lend(
        _ password: Span<UInt8>, _ salt: Span<UInt8>, _ secret: Span<UInt8>, _ associatedData: Span<UInt8>,
        _ output: inout MutableSpan<UInt8>, to context: inout argon2_context,
        _ body: (inout argon2_context) -> CInt
    ) -> CInt {
        unsafe password.withUnsafeBufferPointer { password in
            unsafe salt.withUnsafeBufferPointer { salt in
                unsafe secret.withUnsafeBufferPointer { secret in
                    unsafe associatedData.withUnsafeBufferPointer { associatedData in
                        unsafe output.withUnsafeMutableBufferPointer { output in
                            unsafe (context.pwd, context.pwdlen) = parameter(password)
                            unsafe (context.salt, context.saltlen) = parameter(salt)
                            unsafe (context.secret, context.secretlen) = parameter(secret)
                            unsafe (context.ad, context.adlen) = parameter(associatedData)
                            unsafe (context.out, context.outlen) = (output.baseAddress, UInt32(output.count))
                            return unsafe body(&context)
                        }
                    }
                }
            }
        }
    }

    // Declared as writable in C, but written to only with flags that are not set.
    private func parameter(_ bytes: UnsafeBufferPointer<UInt8>) -> (UnsafeMutablePointer<UInt8>?, UInt32) {
        unsafe (UnsafeMutablePointer(mutating: bytes.baseAddress), UInt32(clamping: bytes.count))
    }
}
