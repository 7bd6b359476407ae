// Statuses of the parameters of a cryptographic operation: -67746 to -67805.

// MARK: - Contexts of an operation

/// The context is not valid.
public let errSecInvalidContext: OSStatus = -67746
/// The algorithm is not valid.
public let errSecInvalidAlgorithm: OSStatus = -67747
/// The context's key is not valid.
public let errSecInvalidAttributeKey: OSStatus = -67748
/// The context lacks the key.
public let errSecMissingAttributeKey: OSStatus = -67749

// MARK: - Parameters of an algorithm

/// The context's initialization vector is not valid.
public let errSecInvalidAttributeInitVector: OSStatus = -67750
/// The context lacks the initialization vector.
public let errSecMissingAttributeInitVector: OSStatus = -67751
/// The context's salt is not valid.
public let errSecInvalidAttributeSalt: OSStatus = -67752
/// The context lacks the salt.
public let errSecMissingAttributeSalt: OSStatus = -67753
/// The context's padding is not valid.
public let errSecInvalidAttributePadding: OSStatus = -67754
/// The context lacks the padding.
public let errSecMissingAttributePadding: OSStatus = -67755
/// The context's random data is not valid.
public let errSecInvalidAttributeRandom: OSStatus = -67756
/// The context lacks random data.
public let errSecMissingAttributeRandom: OSStatus = -67757
/// The context's seed is not valid.
public let errSecInvalidAttributeSeed: OSStatus = -67758
/// The context lacks the seed.
public let errSecMissingAttributeSeed: OSStatus = -67759
/// The context's passphrase is not valid.
public let errSecInvalidAttributePassphrase: OSStatus = -67760
/// The context lacks the passphrase.
public let errSecMissingAttributePassphrase: OSStatus = -67761
/// The context's key length is not valid.
public let errSecInvalidAttributeKeyLength: OSStatus = -67762
/// The context lacks the key length.
public let errSecMissingAttributeKeyLength: OSStatus = -67763
/// The context's block size is not valid.
public let errSecInvalidAttributeBlockSize: OSStatus = -67764
/// The context lacks the block size.
public let errSecMissingAttributeBlockSize: OSStatus = -67765
/// The context's output size is not valid.
public let errSecInvalidAttributeOutputSize: OSStatus = -67766
/// The context lacks the output size.
public let errSecMissingAttributeOutputSize: OSStatus = -67767
/// The context's number of rounds is not valid.
public let errSecInvalidAttributeRounds: OSStatus = -67768
/// The context lacks the number of rounds.
public let errSecMissingAttributeRounds: OSStatus = -67769
/// The algorithm's parameters are not valid.
public let errSecInvalidAlgorithmParms: OSStatus = -67770
/// The algorithm's parameters are missing.
public let errSecMissingAlgorithmParms: OSStatus = -67771

// MARK: - Properties of a key

/// The context's label is not valid.
public let errSecInvalidAttributeLabel: OSStatus = -67772
/// The context lacks the label.
public let errSecMissingAttributeLabel: OSStatus = -67773
/// The context's key type is not valid.
public let errSecInvalidAttributeKeyType: OSStatus = -67774
/// The context lacks the key type.
public let errSecMissingAttributeKeyType: OSStatus = -67775
/// The context's mode is not valid.
public let errSecInvalidAttributeMode: OSStatus = -67776
/// The context lacks the mode.
public let errSecMissingAttributeMode: OSStatus = -67777
/// The context's effective size is not valid.
public let errSecInvalidAttributeEffectiveBits: OSStatus = -67778
/// The context lacks the effective size.
public let errSecMissingAttributeEffectiveBits: OSStatus = -67779
/// The context's start date is not valid.
public let errSecInvalidAttributeStartDate: OSStatus = -67780
/// The context lacks the start date.
public let errSecMissingAttributeStartDate: OSStatus = -67781
/// The context's end date is not valid.
public let errSecInvalidAttributeEndDate: OSStatus = -67782
/// The context lacks the end date.
public let errSecMissingAttributeEndDate: OSStatus = -67783
/// The context's version is not valid.
public let errSecInvalidAttributeVersion: OSStatus = -67784
/// The context lacks the version.
public let errSecMissingAttributeVersion: OSStatus = -67785
/// The context's prime is not valid.
public let errSecInvalidAttributePrime: OSStatus = -67786
/// The context lacks the prime.
public let errSecMissingAttributePrime: OSStatus = -67787
/// The context's base is not valid.
public let errSecInvalidAttributeBase: OSStatus = -67788
/// The context lacks the base.
public let errSecMissingAttributeBase: OSStatus = -67789
/// The context's subprime is not valid.
public let errSecInvalidAttributeSubprime: OSStatus = -67790
/// The context lacks the subprime.
public let errSecMissingAttributeSubprime: OSStatus = -67791
/// The context's iteration count is not valid.
public let errSecInvalidAttributeIterationCount: OSStatus = -67792
/// The context lacks the iteration count.
public let errSecMissingAttributeIterationCount: OSStatus = -67793
/// The context's database handle is not valid.
public let errSecInvalidAttributeDLDBHandle: OSStatus = -67794
/// The context lacks the database handle.
public let errSecMissingAttributeDLDBHandle: OSStatus = -67795
/// The context's access credentials are not valid.
public let errSecInvalidAttributeAccessCredentials: OSStatus = -67796
/// The context lacks the access credentials.
public let errSecMissingAttributeAccessCredentials: OSStatus = -67797
/// The context's public key format is not valid.
public let errSecInvalidAttributePublicKeyFormat: OSStatus = -67798
/// The context lacks the public key format.
public let errSecMissingAttributePublicKeyFormat: OSStatus = -67799
/// The context's private key format is not valid.
public let errSecInvalidAttributePrivateKeyFormat: OSStatus = -67800
/// The context lacks the private key format.
public let errSecMissingAttributePrivateKeyFormat: OSStatus = -67801
/// The context's symmetric key format is not valid.
public let errSecInvalidAttributeSymmetricKeyFormat: OSStatus = -67802
/// The context lacks the symmetric key format.
public let errSecMissingAttributeSymmetricKeyFormat: OSStatus = -67803
/// The context's wrapped key format is not valid.
public let errSecInvalidAttributeWrappedKeyFormat: OSStatus = -67804
/// The context lacks the wrapped key format.
public let errSecMissingAttributeWrappedKeyFormat: OSStatus = -67805
