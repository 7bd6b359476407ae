import CTSS2

/// A key that the TPM derives from a seed of its own. It is the same every time, so that nothing has to be stored.
enum Primary {
    /// Wraps our objects. Another one after the TPM was cleared.
    case storageKey
    /// Tells one chip from another, even after it was cleared.
    case chipKey
    /// Attests others. Another one after the TPM was cleared.
    case attestationKey

    var hierarchy: UInt32 { self == .chipKey ? ESYS_TR_RH_ENDORSEMENT : ESYS_TR_RH_OWNER }

    var template: TPM2B_PUBLIC { self == .attestationKey ? ObjectTemplate.attestationKey : ObjectTemplate.storageKey }
}

/// The public areas that our objects are made with (TPM 2.0 Library, part 2, 12.2).
enum ObjectTemplate {
    /// The bits of `objectAttributes`.
    private struct Attributes: OptionSet {
        let rawValue: UInt32
        static let fixedTPM = Attributes(rawValue: 1 << 1)
        static let fixedParent = Attributes(rawValue: 1 << 4)
        static let sensitiveDataOrigin = Attributes(rawValue: 1 << 5)
        static let userWithAuth = Attributes(rawValue: 1 << 6)
        static let noDictionaryAttackProtection = Attributes(rawValue: 1 << 10)
        static let restricted = Attributes(rawValue: 1 << 16)
        static let decrypt = Attributes(rawValue: 1 << 17)
        static let sign = Attributes(rawValue: 1 << 18)

        /// Made in this TPM, and never to leave it.
        static let ofThisTPM: Attributes = [.fixedTPM, .fixedParent, .sensitiveDataOrigin, .userWithAuth]
    }

    /// The storage key: a primary key under the owner hierarchy, the same whenever it is made until the TPM is cleared.
    /// This is the TCG's own template for it (TPM v2.0 Provisioning Guidance 1.0, 7.5.1; EK Credential Profile,
    /// template L-2).
    static var storageKey: TPM2B_PUBLIC {
        var template = elliptic([.ofThisTPM, .noDictionaryAttackProtection, .restricted, .decrypt])
        unsafe template.publicArea.parameters.eccDetail.symmetric.algorithm = alg(TPM2_ALG_AES)
        unsafe template.publicArea.parameters.eccDetail.symmetric.keyBits.aes = 128
        unsafe template.publicArea.parameters.eccDetail.symmetric.mode.aes = alg(TPM2_ALG_CFB)
        unsafe template.publicArea.unique.ecc.x.size = 32
        unsafe template.publicArea.unique.ecc.y.size = 32
        return template
    }

    /// The key that attests others: it signs only statements of the TPM itself.
    static var attestationKey: TPM2B_PUBLIC {
        var template = elliptic([.ofThisTPM, .noDictionaryAttackProtection, .restricted, .sign])
        unsafe template.publicArea.parameters.eccDetail.scheme.scheme = alg(TPM2_ALG_ECDSA)
        unsafe template.publicArea.parameters.eccDetail.scheme.details.ecdsa.hashAlg = alg(TPM2_ALG_SHA256)
        return template
    }

    /// A key of a user's: signs digests and agrees on secrets.
    static var userKey: TPM2B_PUBLIC {
        elliptic([.ofThisTPM, .noDictionaryAttackProtection, .decrypt, .sign])
    }

    /// The device key: an HMAC key that the TPM has made.
    static var deviceKey: TPM2B_PUBLIC {
        var template = area(
            alg(TPM2_ALG_KEYEDHASH), [.ofThisTPM, .noDictionaryAttackProtection, .sign])
        unsafe template.publicArea.parameters.keyedHashDetail.scheme.scheme = alg(TPM2_ALG_HMAC)
        unsafe template.publicArea.parameters.keyedHashDetail.scheme.details.hmac.hashAlg = alg(TPM2_ALG_SHA256)
        return template
    }

    /// A secret of ours that only the right authorisation opens; wrong ones count against the TPM's limit.
    static var sealedSecret: TPM2B_PUBLIC {
        var template = area(alg(TPM2_ALG_KEYEDHASH), [.fixedTPM, .fixedParent, .userWithAuth])
        unsafe template.publicArea.parameters.keyedHashDetail.scheme.scheme = alg(TPM2_ALG_NULL)
        return template
    }

    private static func elliptic(_ attributes: Attributes) -> TPM2B_PUBLIC {
        var template = area(alg(TPM2_ALG_ECC), attributes)
        unsafe template.publicArea.parameters.eccDetail.symmetric.algorithm = alg(TPM2_ALG_NULL)
        unsafe template.publicArea.parameters.eccDetail.scheme.scheme = alg(TPM2_ALG_NULL)
        unsafe template.publicArea.parameters.eccDetail.curveID = UInt16(truncatingIfNeeded: TPM2_ECC_NIST_P256)
        unsafe template.publicArea.parameters.eccDetail.kdf.scheme = alg(TPM2_ALG_NULL)
        return template
    }

    private static func area(_ type: UInt16, _ attributes: Attributes) -> TPM2B_PUBLIC {
        var template = TPM2B_PUBLIC()
        template.publicArea.type = type
        template.publicArea.nameAlg = alg(TPM2_ALG_SHA256)
        template.publicArea.objectAttributes = attributes.rawValue
        return template
    }
}

/// An algorithm's number as the structures take it; the header's macros arrive wider.
func alg(_ number: some BinaryInteger) -> UInt16 { UInt16(truncatingIfNeeded: number) }
