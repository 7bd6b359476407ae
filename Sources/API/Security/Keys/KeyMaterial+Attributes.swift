internal import KeychainCrypto
internal import KeychainModel
internal import LinuxSystem

extension KeyMaterial {
    /// The attributes of the key, by key (rule keys.attributes.usage).
    ///
    /// - Throws: `Refusal` when OpenSSL fails.
    func attributes() throws(Refusal) -> [String: Any] {
        let label = try explained("SecKeyCopyAttributes") { () throws(CryptoError) in try publicKey.applicationLabel() }
        var attributes: [String: Any] = [
            "class": ItemClass.key.code, "kcls": keyClass.rawValue, "klbl": Data(label), "type": type.rawValue,
            "bsiz": bits, "esiz": bits,
            // On Apple systems both halves call themselves private.
            "perm": true, "priv": true, "modi": true, "sens": false, "asen": false, "extr": true, "next": false,
        ]
        let granted = KeyUsage.granted(type, keyClass)
        for usage in KeyUsage.allCases { attributes[usage.rawValue] = granted.contains(usage) }
        if let value = try? externalRepresentation() {
            attributes["v_Data"] = value.withSpan { ReturnedData(copying: $0) }
        }
        return attributes.merging(ownAttributes) { _, own in own }
    }
}
