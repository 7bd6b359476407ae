// Attributes of cryptographic keys, in items and in the parameters of key functions.

// MARK: - Identification

/// The key of the key class: public, private or symmetric.
@safe nonisolated(unsafe) public let kSecAttrKeyClass: CFString = "kcls"
/// The key of the algorithm a key is for.
@safe nonisolated(unsafe) public let kSecAttrKeyType: CFString = "type"
/// The key of the key's size in bits.
@safe nonisolated(unsafe) public let kSecAttrKeySizeInBits: CFString = "bsiz"
/// The key of the bits that count for the key's strength.
@safe nonisolated(unsafe) public let kSecAttrEffectiveKeySize: CFString = "esiz"
/// The key of the label a program finds a key by; of a key pair, the SHA-1 digest of the public key.
@safe nonisolated(unsafe) public let kSecAttrApplicationLabel: CFString = "klbl"
/// The key of a tag the program chooses.
@safe nonisolated(unsafe) public let kSecAttrApplicationTag: CFString = "atag"

// MARK: - Permissions

/// The key of whether a new key is stored in the keychain.
@safe nonisolated(unsafe) public let kSecAttrIsPermanent: CFString = "perm"
/// The key of whether a key leaves the keychain only in wrapped form.
@safe nonisolated(unsafe) public let kSecAttrIsSensitive: CFString = "sens"
/// The key of whether a key may leave the keychain at all.
@safe nonisolated(unsafe) public let kSecAttrIsExtractable: CFString = "extr"
/// The key of whether a key may encrypt.
@safe nonisolated(unsafe) public let kSecAttrCanEncrypt: CFString = "encr"
/// The key of whether a key may decrypt.
@safe nonisolated(unsafe) public let kSecAttrCanDecrypt: CFString = "decr"
/// The key of whether other keys may be derived from a key.
@safe nonisolated(unsafe) public let kSecAttrCanDerive: CFString = "drve"
/// The key of whether a key may sign.
@safe nonisolated(unsafe) public let kSecAttrCanSign: CFString = "sign"
/// The key of whether a key may verify signatures.
@safe nonisolated(unsafe) public let kSecAttrCanVerify: CFString = "vrfy"
/// The key of whether a key may wrap other keys.
@safe nonisolated(unsafe) public let kSecAttrCanWrap: CFString = "wrap"
/// The key of whether a key may unwrap other keys.
@safe nonisolated(unsafe) public let kSecAttrCanUnwrap: CFString = "unwp"

// MARK: - Parameters of key functions

/// The key of the attributes for the private key of a new pair.
@safe nonisolated(unsafe) public let kSecPrivateKeyAttrs: CFString = "private"
/// The key of the attributes for the public key of a new pair.
@safe nonisolated(unsafe) public let kSecPublicKeyAttrs: CFString = "public"
/// The key of the pseudo-random function that derives a key from a password.
@safe nonisolated(unsafe) public let kSecAttrPRF: CFString = "prf"
/// The key of the salt of such a derivation.
@safe nonisolated(unsafe) public let kSecAttrSalt: CFString = "salt"
/// The key of the number of rounds of such a derivation.
@safe nonisolated(unsafe) public let kSecAttrRounds: CFString = "rounds"

/// What a token calls a key it holds: data that means something to that token alone. Only among a key's attributes.
@safe nonisolated(unsafe) public let kSecAttrTokenOID: CFString = "toid"
