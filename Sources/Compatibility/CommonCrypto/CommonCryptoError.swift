// In C these are constants of unnamed enumerations. Swift imports those as `Int`, whatever the type of their use:
// programs write `CCOperation(kCCEncrypt)` and `status == kCCSuccess`. The same holds for every `kCC…` here.

/// A result of the functions of this module.
public typealias CCStatus = Int32
/// A result of the functions for ciphers.
public typealias CCCryptorStatus = Int32

/// Done.
public let kCCSuccess = 0
/// A parameter has an invalid value.
public let kCCParamError = -4300
/// The output's capacity is too small. The output's size receives the needed one.
public let kCCBufferTooSmall = -4301
/// Memory could not be had.
public let kCCMemoryFailure = -4302
/// The input is not a number of whole blocks.
public let kCCAlignmentError = -4303
/// The decrypted message has no valid padding: it is damaged, or the key is wrong.
public let kCCDecodeError = -4304
/// The algorithm or its mode is not supported.
public let kCCUnimplemented = -4305
/// The input is too long for one call.
public let kCCOverflow = -4306
/// There is no randomness. Never returned: without randomness the program stops.
public let kCCRNGFailure = -4307
/// The library underneath refused.
public let kCCUnspecifiedError = -4308
/// The calls came in an invalid order.
public let kCCCallSequenceError = -4309
/// The algorithm has no keys of this size.
public let kCCKeySizeError = -4310
/// The key is invalid.
public let kCCInvalidKey = -4311
