// A fuzz target: keys of every type are read or refused, and what is read is written as it was. `make fuzz` runs it.
import FuzzSupport
import KeychainCrypto
import KeychainModel

unsafe fuzz { start, count in
    guard count > 0 else { return 0 }
    let bytes = unsafe Span(_unsafeStart: start, count: count)
    // The first byte says as what the rest is read, so that each type has inputs of its own.
    let rest = bytes.extracting(1...)
    let type = KeyType.allCases[Int(bytes[0] & 3) % KeyType.allCases.count]
    switch bytes[0] >> 2 & 3 {
    case 0:
        if let key = try? PublicKey(external: rest, type: type) { precondition(key.external().count == rest.count) }
    case 1:
        if let key = try? PrivateKey(external: rest, type: type) {
            precondition((try? key.external())?.count == rest.count)
        }
    case 2: _ = try? PublicKey(subjectPublicKeyInfo: rest)
    default: _ = try? PrivateKey(privateKeyInfo: rest)
    }
    return 0
}
