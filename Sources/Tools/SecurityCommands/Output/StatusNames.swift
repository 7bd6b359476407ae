/// The names of the statuses that the keychain gives (rule results.status.codes), for `--json`.
enum StatusNames {
    static func name(of status: Int32) -> String? { names[status] }

    private static let names: [Int32: String] = [
        0: "errSecSuccess", -4: "errSecUnimplemented", -34: "errSecDiskFull", -36: "errSecIO", -50: "errSecParam",
        -108: "errSecAllocate",
        -128: "errSecUserCanceled", -909: "errSecBadReq", -25291: "errSecNotAvailable", -25292: "errSecReadOnly",
        -25293: "errSecAuthFailed", -25294: "errSecNoSuchKeychain", -25295: "errSecInvalidKeychain",
        -25296: "errSecDuplicateKeychain", -25299: "errSecDuplicateItem",
        -25300: "errSecItemNotFound", -25303: "errSecNoSuchAttr", -25306: "errSecNoSuchClass",
        -25308: "errSecInteractionNotAllowed", -26275: "errSecDecode", -26276: "errSecInternal",
        -34018: "errSecMissingEntitlement", -67808: "errSecVerifyFailed",
    ]
}
