import CArgon2
package import LinuxSystem

/// Argon2id version 1.3 (RFC 9106). It derives a key from a password that people can remember, at a cost per guess.
package struct Argon2id: Equatable, Sendable {
    /// The memory of one guess, in KiB: at least 8 per lane.
    package let memory: UInt32
    /// The number of passes over that memory, at least one.
    package let passes: UInt32
    /// The number of lanes, which is part of the result. The lanes are computed one after the other, because threads
    /// bring nothing at these sizes.
    package let lanes: UInt32

    /// The limits for parameters from a file. Larger ones could make the reader run for hours or run out of memory.
    package static let mostMemory: UInt32 = 4 << 20
    package static let mostPasses: UInt32 = 64

    /// - Throws: `CryptoError.invalidParameter` for parameters outside of the limits; they may come from a file.
    package init(memory: UInt32, passes: UInt32, lanes: UInt32 = 1) throws(CryptoError) {
        guard (1...16).contains(lanes), (8 * lanes...Self.mostMemory).contains(memory),
            (1...Self.mostPasses).contains(passes)
        else { throw .invalidParameter }
        (self.memory, self.passes, self.lanes) = (memory, passes, lanes)
    }

    /// Derives a key from a password.
    ///
    /// - Parameters:
    ///   - salt: at least 8 random bytes that are kept with the result.
    ///   - secret: a key kept elsewhere, without which guessing is not possible; may be empty.
    ///   - associatedData: bound to the result; may be empty.
    ///   - count: the number of bytes, at least 4.
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

    // C declares the pointer as writable, but writes to it only with flags that are not set.
    private func parameter(_ bytes: UnsafeBufferPointer<UInt8>) -> (UnsafeMutablePointer<UInt8>?, UInt32) {
        unsafe (UnsafeMutablePointer(mutating: bytes.baseAddress), UInt32(clamping: bytes.count))
    }
}
