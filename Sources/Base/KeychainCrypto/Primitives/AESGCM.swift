import COpenSSL
package import LinuxSystem

/// AES-256-GCM (NIST SP 800-38D) under one key, whose schedule is made once.
///
/// A sealed box is nonce (12 bytes, fresh and random) ‖ ciphertext ‖ tag (16 bytes). Random nonces are safe for 2³²
/// boxes under one key. Belongs to one thread: every event loop and worker has its own.
package final class AESGCM {
    package static let keySize = 32
    package static let nonceSize = 12
    package static let tagSize = 16
    /// The size of a box minus the size of its content.
    package static let overhead = nonceSize + tagSize

    private let context: GCMContext

    /// - Throws: `CryptoError.invalidParameter` when the key does not have 32 bytes; `.libraryFailure`.
    package init(key: Span<UInt8>) throws(CryptoError) {
        context = try GCMContext()
        try context.setKey(key)
    }

    /// Seals the plaintext into a span that is larger by exactly ``overhead`` bytes.
    ///
    /// - Parameter aad: associated data: not in the box, but the same must be given to open it.
    /// - Throws: `CryptoError.invalidParameter` when the span has another size; `.tooLong`, `.libraryFailure`.
    package func seal(
        _ plaintext: Span<UInt8>, aad: Span<UInt8>, into box: inout MutableSpan<UInt8>
    ) throws(CryptoError) {
        try context.sealBox(plaintext, aad: aad, into: &box)
    }

    /// Seals the plaintext into a new array.
    ///
    /// - Throws: as ``seal(_:aad:into:)``.
    package func seal(_ plaintext: Span<UInt8>, aad: Span<UInt8>) throws(CryptoError) -> [UInt8] {
        try newBox(for: plaintext) { (box) throws(CryptoError) in try seal(plaintext, aad: aad, into: &box) }
    }

    /// Opens a box into a span that is smaller by exactly ``overhead`` bytes. On failure the span is wiped.
    ///
    /// - Throws: `CryptoError.authenticationFailed`, `.boxTooShort`; `.invalidParameter` when the span has another
    ///   size; `.tooLong`, `.libraryFailure`.
    package func open(
        _ box: Span<UInt8>, aad: Span<UInt8>, into plaintext: inout MutableSpan<UInt8>
    ) throws(CryptoError) {
        try unsafe context.openBox(box, aad: aad, into: &plaintext)
    }

    /// Opens a box and appends the plaintext to the buffer. On failure the buffer does not change.
    ///
    /// - Throws: as ``open(_:aad:into:)-(_,_,MutableSpan<UInt8>)``.
    package func open(_ box: Span<UInt8>, aad: Span<UInt8>, into buffer: SecretBuffer) throws(CryptoError) {
        guard box.count >= Self.overhead else { throw .boxTooShort }
        try buffer.append(count: box.count - Self.overhead) { (span) throws(CryptoError) in
            try open(box, aad: aad, into: &span)
        }
    }
}

/// AES-256-GCM with another key for each message, such as the keys of single rows. It sets the key of one context for
/// every message.
///
/// Boxes are those of ``AESGCM``. Belongs to one thread. The last key stays in the context until its end.
package final class OneTimeAESGCM {
    private let context: GCMContext

    /// - Throws: `CryptoError.libraryFailure`.
    package init() throws(CryptoError) { context = try GCMContext() }

    /// Seals as ``AESGCM/seal(_:aad:into:)``, under the given key.
    ///
    /// - Throws: as that; `CryptoError.invalidParameter` when the key does not have 32 bytes.
    package func seal(
        _ plaintext: Span<UInt8>, key: Span<UInt8>, aad: Span<UInt8>, into box: inout MutableSpan<UInt8>
    ) throws(CryptoError) {
        try context.setKey(key)
        try context.sealBox(plaintext, aad: aad, into: &box)
    }

    /// Seals into a new array, under the given key.
    ///
    /// - Throws: as ``seal(_:key:aad:into:)``.
    package func seal(_ plaintext: Span<UInt8>, key: Span<UInt8>, aad: Span<UInt8>) throws(CryptoError) -> [UInt8] {
        try newBox(for: plaintext) { (box) throws(CryptoError) in
            try seal(plaintext, key: key, aad: aad, into: &box)
        }
    }

    /// Opens as ``AESGCM``, under the given key. On failure the span is wiped.
    ///
    /// - Throws: as there; `CryptoError.invalidParameter` when the key does not have 32 bytes.
    package func open(
        _ box: Span<UInt8>, key: Span<UInt8>, aad: Span<UInt8>, into plaintext: inout MutableSpan<UInt8>
    ) throws(CryptoError) {
        try context.setKey(key)
        try unsafe context.openBox(box, aad: aad, into: &plaintext)
    }

    /// Opens a box and appends the plaintext to the buffer. On failure the buffer does not change.
    ///
    /// - Throws: as ``open(_:key:aad:into:)-(_,_,_,MutableSpan<UInt8>)``.
    package func open(
        _ box: Span<UInt8>, key: Span<UInt8>, aad: Span<UInt8>, into buffer: SecretBuffer
    ) throws(CryptoError) {
        guard box.count >= AESGCM.overhead else { throw .boxTooShort }
        guard key.count == AESGCM.keySize else { throw .invalidParameter }
        try unsafe key.withUnsafeBufferPointer { (key) throws(CryptoError) in
            try buffer.append(count: box.count - AESGCM.overhead) { (span) throws(CryptoError) in
                try unsafe context.openBox(box, key: key.baseAddress, aad: aad, into: &span)
            }
        }
    }
}

// MARK: - The box

extension GCMContext {
    fileprivate func sealBox(
        _ plaintext: Span<UInt8>, aad: Span<UInt8>, into box: inout MutableSpan<UInt8>
    ) throws(CryptoError) {
        guard box.count - AESGCM.overhead == plaintext.count else { throw .invalidParameter }
        try unsafe box.withUnsafeMutableBufferPointer { (box) throws(CryptoError) in
            let start = box.baseAddress!
            var nonce = unsafe MutableSpan(_unsafeStart: start, count: AESGCM.nonceSize)
            Randomness.fill(&nonce)
            try unsafe plaintext.withUnsafeBufferPointer { (plaintext) throws(CryptoError) in
                try unsafe seal(input: plaintext, nonce: start, aad: aad, to: start + AESGCM.nonceSize)
            }
        }
    }

    fileprivate func openBox(
        _ box: Span<UInt8>, key: UnsafePointer<UInt8>? = nil, aad: Span<UInt8>, into plaintext: inout MutableSpan<UInt8>
    ) throws(CryptoError) {
        guard box.count >= AESGCM.overhead else { throw .boxTooShort }
        guard box.count - AESGCM.overhead == plaintext.count else { throw .invalidParameter }
        try unsafe plaintext.withUnsafeMutableBufferPointer { (plaintext) throws(CryptoError) in
            // An empty span may have no address. Nothing is written to this one.
            var nowhere: UInt8 = 0
            try unsafe withUnsafeMutablePointer(to: &nowhere) { (nowhere) throws(CryptoError) in
                try unsafe openBox(box, key: key, aad: aad, to: plaintext.baseAddress ?? nowhere)
            }
        }
    }

    private func openBox(
        _ box: Span<UInt8>, key: UnsafePointer<UInt8>?, aad: Span<UInt8>, to output: UnsafeMutablePointer<UInt8>
    ) throws(CryptoError) {
        try unsafe box.withUnsafeBufferPointer { (box) throws(CryptoError) in
            let ciphertext = unsafe UnsafeBufferPointer(rebasing: box[AESGCM.nonceSize..<box.count - AESGCM.tagSize])
            let start = box.baseAddress!
            do throws(CryptoError) {
                let tag = unsafe start + (box.count - AESGCM.tagSize)
                try unsafe open(input: ciphertext, key: key, nonce: start, aad: aad, to: output, tag: tag)
            } catch {
                unsafe OPENSSL_cleanse(output, ciphertext.count)
                throw error
            }
        }
    }
}

/// Makes an array of the size of a box for the plaintext, which `seal` fills.
private func newBox(
    for plaintext: Span<UInt8>, _ seal: (inout MutableSpan<UInt8>) throws(CryptoError) -> Void
) throws(CryptoError) -> [UInt8] {
    var box = [UInt8](repeating: 0, count: plaintext.count + AESGCM.overhead)
    var span = box.mutableSpan
    try seal(&span)
    return box
}
