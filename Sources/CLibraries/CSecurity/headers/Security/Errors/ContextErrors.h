// Statuses of the parameters of a cryptographic operation: -67746 to -67805.
// MARK: - Contexts of an operation
#ifndef SECURITY_ERRORS_CONTEXTERRORS_H
#define SECURITY_ERRORS_CONTEXTERRORS_H

#include <CoreFoundation/CFBase.h>

CF_ENUM(OSStatus) {
    // Contexts of an operation:
    errSecInvalidContext = -67746,  // The context is not valid
    errSecInvalidAlgorithm = -67747,  // The algorithm is not valid
    errSecInvalidAttributeKey = -67748,  // The context's key is not valid
    errSecMissingAttributeKey = -67749,  // The context lacks the key

    // Parameters of an algorithm:
    errSecInvalidAttributeInitVector = -67750,  // The context's initialization vector is not valid
    errSecMissingAttributeInitVector = -67751,  // The context lacks the initialization vector
    errSecInvalidAttributeSalt = -67752,  // The context's salt is not valid
    errSecMissingAttributeSalt = -67753,  // The context lacks the salt
    errSecInvalidAttributePadding = -67754,  // The context's padding is not valid
    errSecMissingAttributePadding = -67755,  // The context lacks the padding
    errSecInvalidAttributeRandom = -67756,  // The context's random data is not valid
    errSecMissingAttributeRandom = -67757,  // The context lacks random data
    errSecInvalidAttributeSeed = -67758,  // The context's seed is not valid
    errSecMissingAttributeSeed = -67759,  // The context lacks the seed
    errSecInvalidAttributePassphrase = -67760,  // The context's passphrase is not valid
    errSecMissingAttributePassphrase = -67761,  // The context lacks the passphrase
    errSecInvalidAttributeKeyLength = -67762,  // The context's key length is not valid
    errSecMissingAttributeKeyLength = -67763,  // The context lacks the key length
    errSecInvalidAttributeBlockSize = -67764,  // The context's block size is not valid
    errSecMissingAttributeBlockSize = -67765,  // The context lacks the block size
    errSecInvalidAttributeOutputSize = -67766,  // The context's output size is not valid
    errSecMissingAttributeOutputSize = -67767,  // The context lacks the output size
    errSecInvalidAttributeRounds = -67768,  // The context's number of rounds is not valid
    errSecMissingAttributeRounds = -67769,  // The context lacks the number of rounds
    errSecInvalidAlgorithmParms = -67770,  // The algorithm's parameters are not valid
    errSecMissingAlgorithmParms = -67771,  // The algorithm's parameters are missing

    // Properties of a key:
    errSecInvalidAttributeLabel = -67772,  // The context's label is not valid
    errSecMissingAttributeLabel = -67773,  // The context lacks the label
    errSecInvalidAttributeKeyType = -67774,  // The context's key type is not valid
    errSecMissingAttributeKeyType = -67775,  // The context lacks the key type
    errSecInvalidAttributeMode = -67776,  // The context's mode is not valid
    errSecMissingAttributeMode = -67777,  // The context lacks the mode
    errSecInvalidAttributeEffectiveBits = -67778,  // The context's effective size is not valid
    errSecMissingAttributeEffectiveBits = -67779,  // The context lacks the effective size
    errSecInvalidAttributeStartDate = -67780,  // The context's start date is not valid
    errSecMissingAttributeStartDate = -67781,  // The context lacks the start date
    errSecInvalidAttributeEndDate = -67782,  // The context's end date is not valid
    errSecMissingAttributeEndDate = -67783,  // The context lacks the end date
    errSecInvalidAttributeVersion = -67784,  // The context's version is not valid
    errSecMissingAttributeVersion = -67785,  // The context lacks the version
    errSecInvalidAttributePrime = -67786,  // The context's prime is not valid
    errSecMissingAttributePrime = -67787,  // The context lacks the prime
    errSecInvalidAttributeBase = -67788,  // The context's base is not valid
    errSecMissingAttributeBase = -67789,  // The context lacks the base
    errSecInvalidAttributeSubprime = -67790,  // The context's subprime is not valid
    errSecMissingAttributeSubprime = -67791,  // The context lacks the subprime
    errSecInvalidAttributeIterationCount = -67792,  // The context's iteration count is not valid
    errSecMissingAttributeIterationCount = -67793,  // The context lacks the iteration count
    errSecInvalidAttributeDLDBHandle = -67794,  // The context's database handle is not valid
    errSecMissingAttributeDLDBHandle = -67795,  // The context lacks the database handle
    errSecInvalidAttributeAccessCredentials = -67796,  // The context's access credentials are not valid
    errSecMissingAttributeAccessCredentials = -67797,  // The context lacks the access credentials
    errSecInvalidAttributePublicKeyFormat = -67798,  // The context's public key format is not valid
    errSecMissingAttributePublicKeyFormat = -67799,  // The context lacks the public key format
    errSecInvalidAttributePrivateKeyFormat = -67800,  // The context's private key format is not valid
    errSecMissingAttributePrivateKeyFormat = -67801,  // The context lacks the private key format
    errSecInvalidAttributeSymmetricKeyFormat = -67802,  // The context's symmetric key format is not valid
    errSecMissingAttributeSymmetricKeyFormat = -67803,  // The context lacks the symmetric key format
    errSecInvalidAttributeWrappedKeyFormat = -67804,  // The context's wrapped key format is not valid
    errSecMissingAttributeWrappedKeyFormat = -67805,  // The context lacks the wrapped key format
};

#endif
