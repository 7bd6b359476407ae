import KeychainCrypto
import KeychainModel
import LinuxSystem

/// Keys of every type are read or refused, and what is read is written as it was.
///
/// The first byte says as what the rest is read, so that each type and format has inputs of its own.
func fuzzKey(_ bytes: Span<UInt8>) {
    guard !bytes.isEmpty else { return }
    let rest = bytes.extracting(1...)
    let type = KeyType.allCases[Int(bytes[0] & 3) % KeyType.allCases.count]
    switch bytes[0] >> 2 & 3 {
    case 0: if let key = try? PublicKey(external: rest, type: type) { check(key, from: rest) }
    case 1: if let key = try? PrivateKey(external: rest, type: type) { check(key, from: rest) }
    case 2: if let key = try? PublicKey(subjectPublicKeyInfo: rest) { check(key, fromInfo: rest) }
    default: if let key = try? PrivateKey(privateKeyInfo: rest) { check(key) }
    }
}

private func check(_ key: PublicKey, from bytes: Span<UInt8>) {
    let external = key.external()
    let isSame = external.span.isEqual(to: bytes)
    precondition(isSame)
    guard let info = try? key.subjectPublicKeyInfo() else { fatalError("not written") }
    let again = try? PublicKey(subjectPublicKeyInfo: info.span)
    precondition(again?.external() == external)
}

private func check(_ key: PublicKey, fromInfo bytes: Span<UInt8>) {
    guard let info = try? key.subjectPublicKeyInfo() else { fatalError("not written") }
    let isSame = info.span.isEqual(to: bytes)
    precondition(isSame)
}

private func check(_ key: PrivateKey, from bytes: Span<UInt8>) {
    guard let external = try? key.external() else { fatalError("not written") }
    let isSame = external.withSpan { $0.isEqual(to: bytes) }
    precondition(isSame)
    check(key)
}

/// Whatever has been taken can be written in both formats and is taken again.
private func check(_ key: PrivateKey) {
    guard let external = try? key.external(), let info = try? key.privateKeyInfo() else { fatalError("not written") }
    let again = [
        external.withSpan { try? PrivateKey(external: $0, type: key.type) },
        info.withSpan { try? PrivateKey(privateKeyInfo: $0) },
    ]
    for copy in again { precondition(copy?.publicKey.external() == key.publicKey.external()) }
}
