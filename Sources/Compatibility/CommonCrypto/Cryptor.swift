internal import KeychainCrypto
internal import LinuxSystem

/// The implementation of a `CCCryptorRef`: a cipher and its pending output. One thread at a time may use it.
final class Cryptor {
    private let cipher: CipherContext
    private let encrypting: Bool
    private let hasPadding: Bool
    /// The input bytes that are in no returned block.
    private var held = 0
    /// The last bytes of the message, kept for a caller whose capacity was too small.
    private var tail: [UInt8]?

    /// - Throws: what ``CipherContext`` throws.
    init(
        _ cipher: BlockCipher, _ mode: BlockCipher.Mode, encrypting: Bool, padding: Bool,
        key: UnsafeBufferPointer<UInt8>, iv: UnsafeRawPointer?
    ) throws(CryptoError) {
        let iv = unsafe bytes(iv, cipher.blockSize)
        self.cipher = try unsafe CipherContext(
            cipher, mode, encrypting: encrypting, padding: padding, key: key.span, iv: iv.span)
        self.encrypting = encrypting
        hasPadding = padding && mode.isOfBlocks
    }

    var mode: BlockCipher.Mode { cipher.mode }

    /// The number of output bytes for more input.
    ///
    /// - Parameter final: whether the message ends there.
    func outputSize(for input: Int, final: Bool) -> Int {
        guard mode.isOfBlocks else { return input }
        let (total, isTooLarge) = held.addingReportingOverflow(input)
        if isTooLarge || total > Int.max - cipher.blockSize { return .max }
        if hasPadding && encrypting && final { return (total / cipher.blockSize + 1) * cipher.blockSize }
        if final { return total }
        return blocksGivenOut(total) * cipher.blockSize
    }

    // The last block is held back until it is known whether it is the one with the padding.
    private func blocksGivenOut(_ total: Int) -> Int {
        hasPadding && !encrypting ? max(total - 1, 0) / cipher.blockSize : total / cipher.blockSize
    }

    /// Adds a piece and returns the number of bytes that it wrote.
    ///
    /// - Parameter output: with room for `outputSize(for:final:)`.
    func update(
        _ input: UnsafeRawBufferPointer, to output: UnsafeMutableRawPointer
    ) throws(CryptoError) -> Int {
        let size = outputSize(for: input.count, final: false)
        let written = try unsafe cipher.update(input, to: output)
        guard written == size else { throw .libraryFailure }
        held = mode.isOfBlocks ? held + input.count - written : 0
        return written
    }

    /// Ends the message: its last bytes.
    func finish() throws(CryptoError) -> [UInt8] {
        if let tail { return tail }
        guard mode.isOfBlocks else { return [] }
        guard held % cipher.blockSize == 0 || (encrypting && hasPadding) else { throw .wrongInputSize }
        var block = [UInt8](repeating: 0, count: cipher.blockSize)
        var written = 0
        var span = block.mutableSpan
        try unsafe span.withUnsafeMutableBufferPointer { (span) throws(CryptoError) in
            guard let start = span.baseAddress else { throw .libraryFailure }
            written = try unsafe cipher.finish(to: start)
        }
        block.removeLast(block.count - written)
        tail = block
        return block
    }

    /// Forgets the input so far.
    func restart(iv: UnsafeRawPointer?) throws(CryptoError) {
        let iv = unsafe bytes(iv, cipher.blockSize)
        try unsafe cipher.restart(iv: iv.span)
        held = 0
        tail = nil
    }
}

extension BlockCipher {
    /// The cipher of a number; nil for unsupported ones.
    init?(_ algorithm: CCAlgorithm) {
        switch Int(algorithm) {
        case kCCAlgorithmAES: self = .aes
        case kCCAlgorithmDES: self = .des
        case kCCAlgorithm3DES: self = .tripleDES
        default: return nil
        }
    }

    /// The modes with a number.
    static let modes: [CCMode: Mode] = [1: .ecb, 2: .cbc, 3: .cfb, 4: .ctr, 7: .ofb, 10: .cfb8]
}
