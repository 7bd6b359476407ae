import Security

// Performs the key operations on the lines of its input and answers each with a line, so that a test in another
// language can compare the results. Words are separated by spaces, bytes are in hexadecimal, "-" is nothing.
//
//     make TYPE BITS                      → private key, public key
//     sign | decrypt TYPE KEY ALGORITHM INPUT
//     verify TYPE KEY ALGORITHM INPUT SIGNATURE   → yes or the error's code
//     encrypt TYPE KEY ALGORITHM INPUT
//     exchange TYPE KEY ALGORITHM PEER SIZE INFO
//
// A failure is answered with the error's code.

func bytes(_ text: Substring) -> Data {
    let digits = text.compactMap(\.hexDigitValue)
    return Data(stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) })
}

func hexadecimal(_ data: CFData?, _ error: Unmanaged<CFError>?) -> String {
    guard let data = data as Data? else { return "\(error?.takeRetainedValue().code ?? 0)" }
    return data.isEmpty ? "-" : data.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
}

func external(_ key: SecKey?) -> String {
    key.map { hexadecimal(SecKeyCopyExternalRepresentation($0, nil), nil) } ?? "0"
}

func readKey(_ words: [Substring], _ half: CFString, at index: Int = 2) -> SecKey? {
    let attributes = [kSecAttrKeyType: String(words[1]), kSecAttrKeyClass: half] as [CFString: Any]
    return SecKeyCreateWithData(bytes(words[index]) as CFData, attributes as CFDictionary, nil)
}

func answer(_ words: [Substring]) -> String {
    var error: Unmanaged<CFError>?
    if words[0] == "make" {
        let parameters = [kSecAttrKeyType: String(words[1]), kSecAttrKeySizeInBits: String(words[2])]
        let made = SecKeyCreateRandomKey(parameters as CFDictionary, &error)
        return "\(external(made)) \(external(made.flatMap { SecKeyCopyPublicKey($0) }))"
    }
    let algorithm = SecKeyAlgorithm(rawValue: String(words[3]) as CFString)
    let needsPublic = words[0] == "verify" || words[0] == "encrypt"
    let half = needsPublic ? kSecAttrKeyClassPublic : kSecAttrKeyClassPrivate
    guard let key = readKey(words, half) else { return "no key" }
    let input = bytes(words[4]) as CFData
    switch words[0] {
    case "sign": return hexadecimal(SecKeyCreateSignature(key, algorithm, input, &error), error)
    case "encrypt": return hexadecimal(SecKeyCreateEncryptedData(key, algorithm, input, &error), error)
    case "decrypt": return hexadecimal(SecKeyCreateDecryptedData(key, algorithm, input, &error), error)
    case "verify":
        let isValid = SecKeyVerifySignature(key, algorithm, input, bytes(words[5]) as CFData, &error)
        return isValid ? "yes" : hexadecimal(nil, error)
    case "exchange":
        guard let peer = readKey(words, kSecAttrKeyClassPublic, at: 4) else { return "no peer" }
        var parameters: [String: Any] = [:]
        if let size = Int(words[5]) { parameters["requestedSize"] = size }
        if words[6] != "-" { parameters["sharedInfo"] = bytes(words[6]) }
        return hexadecimal(
            SecKeyCopyKeyExchangeResult(key, algorithm, peer, parameters as CFDictionary, &error), error)
    default: return "unknown"
    }
}

while let line = readLine() {
    FileHandle.standardOutput.write(Data((answer(line.split(separator: " ")) + "\n").utf8))
}
