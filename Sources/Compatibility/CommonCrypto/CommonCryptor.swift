// The constants of ciphers. `Int`, as Swift imports constants of C's enumerations without a name.

/// A cipher context, made by ``CCCryptorCreate(_:_:_:_:_:_:_:)`` and freed by ``CCCryptorRelease(_:)``.
public typealias CCCryptorRef = OpaquePointer

/// The operation: `kCCEncrypt` or `kCCDecrypt`.
public typealias CCOperation = UInt32
/// Encrypt.
public let kCCEncrypt = 0
/// Decrypt.
public let kCCDecrypt = 1

/// The cipher: one of the `kCCAlgorithm…`.
public typealias CCAlgorithm = UInt32
/// AES, with a key of any of its sizes, in spite of the name.
public let kCCAlgorithmAES128 = 0
/// AES (FIPS 197).
public let kCCAlgorithmAES = 0
/// DES: broken, for reading old data.
public let kCCAlgorithmDES = 1
/// Three times DES.
public let kCCAlgorithm3DES = 2
/// CAST. Not supported: `kCCUnimplemented`.
public let kCCAlgorithmCAST = 3
/// RC4. Not supported: `kCCUnimplemented`.
public let kCCAlgorithmRC4 = 4
/// RC2. Not supported: `kCCUnimplemented`.
public let kCCAlgorithmRC2 = 5
/// Blowfish. Not supported: `kCCUnimplemented`.
public let kCCAlgorithmBlowfish = 6

/// A bit set of `kCCOption…`.
public typealias CCOptions = UInt32
/// Pads the last block (PKCS#7), so that messages of all sizes can be encrypted.
public let kCCOptionPKCS7Padding = 1
/// Encrypts each block by itself, which reveals equal blocks; without this option blocks are chained (CBC).
public let kCCOptionECBMode = 2

// MARK: - Sizes in bytes

/// AES with 128 bits.
public let kCCKeySizeAES128 = 16
/// AES with 192 bits.
public let kCCKeySizeAES192 = 24
/// AES with 256 bits.
public let kCCKeySizeAES256 = 32
/// DES.
public let kCCKeySizeDES = 8
/// Three times DES.
public let kCCKeySize3DES = 24
/// CAST, at least.
public let kCCKeySizeMinCAST = 5
/// CAST, at most.
public let kCCKeySizeMaxCAST = 16
/// RC4, at least.
public let kCCKeySizeMinRC4 = 1
/// RC4, at most.
public let kCCKeySizeMaxRC4 = 512
/// RC2, at least.
public let kCCKeySizeMinRC2 = 1
/// RC2, at most.
public let kCCKeySizeMaxRC2 = 128
/// Blowfish, at least.
public let kCCKeySizeMinBlowfish = 8
/// Blowfish, at most.
public let kCCKeySizeMaxBlowfish = 56

/// A block of AES.
public let kCCBlockSizeAES128 = 16
/// A block of DES.
public let kCCBlockSizeDES = 8
/// A block of three times DES.
public let kCCBlockSize3DES = 8
/// A block of CAST.
public let kCCBlockSizeCAST = 8
/// A block of RC2.
public let kCCBlockSizeRC2 = 8
/// A block of Blowfish.
public let kCCBlockSizeBlowfish = 8

/// The size of memory for AES in ``CCCryptorCreateFromData(_:_:_:_:_:_:_:_:_:_:)``, which does not use it here.
public let kCCContextSizeAES128 = 404
/// The size of memory for DES in ``CCCryptorCreateFromData(_:_:_:_:_:_:_:_:_:_:)``, which does not use it here.
public let kCCContextSizeDES = 240
/// The size of memory for triple DES in ``CCCryptorCreateFromData(_:_:_:_:_:_:_:_:_:_:)``, which does not use it here.
public let kCCContextSize3DES = 496
/// The size of memory for CAST, which is not supported.
public let kCCContextSizeCAST = 240
/// The size of memory for RC4, which is not supported.
public let kCCContextSizeRC4 = 1072

// MARK: - Modes

/// The mode of a block cipher: one of the `kCCMode…`.
public typealias CCMode = UInt32
/// Each block by itself, which reveals equal blocks.
public let kCCModeECB = 1
/// Blocks are chained.
public let kCCModeCBC = 2
/// Cipher feedback by blocks.
public let kCCModeCFB = 3
/// A counter, with AES alone. Its last bytes are the lowest.
public let kCCModeCTR = 4
/// Output feedback.
public let kCCModeOFB = 7
/// RC4. Not supported: `kCCUnimplemented`.
public let kCCModeRC4 = 9
/// Cipher feedback by bytes.
public let kCCModeCFB8 = 10

/// The padding of the last block: `ccNoPadding` or `ccPKCS7Padding`.
public typealias CCPadding = UInt32
/// None: the message must be whole blocks.
public let ccNoPadding = 0
/// Bytes that contain their own number (PKCS#7).
public let ccPKCS7Padding = 1

/// Options of a mode; there is one, and it changes nothing.
public typealias CCModeOptions = UInt32
/// The counter's last bytes are the lowest, as always.
public let kCCModeOptionCTR_BE = 2
