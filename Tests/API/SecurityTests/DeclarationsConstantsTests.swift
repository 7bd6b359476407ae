import Security
import TestSupport
import Testing

/// Apple's raw values: programs copy them into their own enumerations, and files and queries contain them.
@Suite struct DeclarationsConstantsTests {
    @Test(
        "the five item classes have Apple's values", .rule("items.class.five"),
        arguments: [
            (kSecClass as String, "class"), (kSecClassGenericPassword as String, "genp"),
            (kSecClassInternetPassword as String, "inet"), (kSecClassCertificate as String, "cert"),
            (kSecClassKey as String, "keys"), (kSecClassIdentity as String, "idnt"),
        ] as [(String, String)])
    func itemClasses(constant: String, value: String) {
        #expect(constant == value)
    }

    @Test(
        "the seven protection classes have Apple's values", .rule("protection.class.seven"),
        arguments: [
            (kSecAttrAccessibleWhenUnlocked as String, "ak"), (kSecAttrAccessibleAfterFirstUnlock as String, "ck"),
            (kSecAttrAccessibleAlways as String, "dk"), (kSecAttrAccessibleWhenUnlockedThisDeviceOnly as String, "aku"),
            (kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly as String, "cku"),
            (kSecAttrAccessibleAlwaysThisDeviceOnly as String, "dku"),
            (kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly as String, "akpu"),
        ] as [(String, String)])
    func protectionClasses(constant: String, value: String) {
        #expect(constant == value)
    }

    @Test(
        "The attributes of items have Apple's values",
        arguments: [
            (kSecAttrAccessible as String, "pdmn"), (kSecAttrAccessControl as String, "accc"),
            (kSecAttrAccessGroup as String, "agrp"), (kSecAttrSynchronizable as String, "sync"),
            (kSecAttrSynchronizableAny as String, "syna"), (kSecAttrCreationDate as String, "cdat"),
            (kSecAttrModificationDate as String, "mdat"), (kSecAttrLabel as String, "labl"),
            (kSecAttrDescription as String, "desc"), (kSecAttrComment as String, "icmt"),
            (kSecAttrCreator as String, "crtr"), (kSecAttrType as String, "type"),
            (kSecAttrIsInvisible as String, "invi"), (kSecAttrIsNegative as String, "nega"),
            (kSecAttrAccount as String, "acct"), (kSecAttrService as String, "svce"),
            (kSecAttrGeneric as String, "gena"), (kSecAttrSecurityDomain as String, "sdmn"),
            (kSecAttrServer as String, "srvr"), (kSecAttrProtocol as String, "ptcl"),
            (kSecAttrAuthenticationType as String, "atyp"), (kSecAttrPort as String, "port"),
            (kSecAttrPath as String, "path"), (kSecAttrSubject as String, "subj"),
            (kSecAttrIssuer as String, "issr"), (kSecAttrSerialNumber as String, "slnr"),
            (kSecAttrSubjectKeyID as String, "skid"), (kSecAttrPublicKeyHash as String, "pkhh"),
            (kSecAttrCertificateType as String, "ctyp"), (kSecAttrCertificateEncoding as String, "cenc"),
            (kSecAttrTokenID as String, "tkid"), (kSecAttrTokenIDSecureEnclave as String, "com.apple.setoken"),
            (kSecAttrAccessGroupToken as String, "com.apple.token"),
        ] as [(String, String)])
    func attributes(constant: String, value: String) {
        #expect(constant == value)
    }

    @Test(
        "The attributes of keys have Apple's values",
        arguments: [
            (kSecAttrKeyClass as String, "kcls"), (kSecAttrKeyType as String, "type"),
            (kSecAttrKeySizeInBits as String, "bsiz"), (kSecAttrEffectiveKeySize as String, "esiz"),
            (kSecAttrApplicationLabel as String, "klbl"), (kSecAttrApplicationTag as String, "atag"),
            (kSecAttrIsPermanent as String, "perm"), (kSecAttrCanSign as String, "sign"),
            (kSecAttrKeyClassPublic as String, "0"), (kSecAttrKeyClassPrivate as String, "1"),
            (kSecAttrKeyClassSymmetric as String, "2"), (kSecAttrKeyTypeRSA as String, "42"),
            (kSecAttrKeyTypeEC as String, "73"), (kSecAttrKeyTypeECSECPrimeRandom as String, "73"),
            (kSecPrivateKeyAttrs as String, "private"), (kSecPublicKeyAttrs as String, "public"),
        ] as [(String, String)])
    func keyAttributes(constant: String, value: String) {
        #expect(constant == value)
    }

    @Test(
        "The keys of a request have Apple's values",
        arguments: [
            (kSecMatchLimit as String, "m_Limit"), (kSecMatchLimitOne as String, "m_LimitOne"),
            (kSecMatchLimitAll as String, "m_LimitAll"), (kSecMatchIssuers as String, "m_Issuers"),
            (kSecReturnData as String, "r_Data"), (kSecReturnAttributes as String, "r_Attributes"),
            (kSecReturnRef as String, "r_Ref"), (kSecReturnPersistentRef as String, "r_PersistentRef"),
            (kSecValueData as String, "v_Data"), (kSecValueRef as String, "v_Ref"),
            (kSecValuePersistentRef as String, "v_PersistentRef"), (kSecUseOperationPrompt as String, "u_OpPrompt"),
            (kSecUseAuthenticationContext as String, "u_AuthCtx"), (kSecUseAuthenticationUI as String, "u_AuthUI"),
            (kSecUseAuthenticationUIAllow as String, "u_AuthUIA"),
            (kSecUseAuthenticationUIFail as String, "u_AuthUIF"),
            (kSecUseAuthenticationUISkip as String, "u_AuthUIS"),
            (kSecUseDataProtectionKeychain as String, "nleg"),
        ] as [(String, String)])
    func requestKeys(constant: String, value: String) {
        #expect(constant == value)
    }

    @Test(
        "Protocols and authentication schemes are four characters, blanks included",
        arguments: [
            (kSecAttrProtocolFTP as String, "ftp "), (kSecAttrProtocolHTTP as String, "http"),
            (kSecAttrProtocolHTTPS as String, "htps"), (kSecAttrProtocolSMTP as String, "smtp"),
            (kSecAttrProtocolSSH as String, "ssh "), (kSecAttrProtocolSOCKS as String, "sox "),
            (kSecAttrProtocolIMAPS as String, "imps"), (kSecAttrProtocolPOP3S as String, "pops"),
            (kSecAttrAuthenticationTypeDefault as String, "dflt"),
            (kSecAttrAuthenticationTypeHTTPBasic as String, "http"),
            (kSecAttrAuthenticationTypeHTTPDigest as String, "httd"),
            (kSecAttrAuthenticationTypeHTMLForm as String, "form"),
        ] as [(String, String)])
    func protocols(constant: String, value: String) {
        #expect(constant == value)
    }

    @Test(
        "Import, policy and trust constants have Apple's values, not their own names",
        arguments: [
            (kSecImportExportPassphrase as String, "passphrase"), (kSecImportItemIdentity as String, "identity"),
            (kSecImportItemCertChain as String, "chain"), (kSecSharedPassword as String, "spwd"),
            (kSecPolicyAppleX509Basic as String, "1.2.840.113635.100.1.2"),
            (kSecPolicyAppleSSL as String, "1.2.840.113635.100.1.3"), (kSecPolicyName as String, "SecPolicyName"),
            (kSecTrustEvaluationDate as String, "TrustEvaluationDate"), (kSecPropertyTypeTitle as String, "title"),
        ] as [(String, String)])
    func importAndTrust(constant: String, value: String) {
        #expect(constant == value)
    }
}
