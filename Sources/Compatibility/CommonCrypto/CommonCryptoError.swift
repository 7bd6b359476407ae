// In C these are constants of enumerations without a name, which Swift imports as `Int` whatever the type they are used
// as; programs write `CCOperation(kCCEncrypt)` and `status == kCCSuccess`. So it is with every `kCC…` here.

/// A result of the functions of this module.
public typealias CCStatus = Int32
/// A result of the functions for ciphers.
public typealias CCCryptorStatus = Int32

/// Done.
public let kCCSuccess = 0
/// A parameter has a value that means nothing here.
public let kCCParamError = -4300
/// There is too little room for the output; how much is needed is where the output's size goes.
public let kCCBufferTooSmall = -4301
/// Memory could not be had.
public let kCCMemoryFailure = -4302
/// The input is not a number of whole blocks.
public let kCCAlignmentError = -4303
/// The input did not decrypt to anything with proper padding: it is damaged, or the key is another one.
public let kCCDecodeError = -4304
/// The algorithm, or the mode of it, is not here.
public let kCCUnimplemented = -4305
/// The input is too long for one call.
public let kCCOverflow = -4306
/// There is no randomness. Never given: without randomness the program stops.
public let kCCRNGFailure = -4307
/// The library underneath refused.
public let kCCUnspecifiedError = -4308
/// The calls came in an order that means nothing.
public let kCCCallSequenceError = -4309
/// The algorithm has no keys of this size.
public let kCCKeySizeError = -4310
/// The key is not one.
public let kCCInvalidKey = -4311
