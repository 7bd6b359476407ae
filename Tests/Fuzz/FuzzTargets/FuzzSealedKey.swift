import LinuxSystem

@testable import EnclaveWire
@testable import KeychainModel
@testable import KeychainWire
@testable import SecureEnclave

/// The sealed key that the enclave gives out to be kept elsewhere, and gets back from any program that kept it.
///
/// The first byte says what the rest is. In the last form the rest are changes of a key that the enclave has sealed: it
/// takes the key back only as it was.
///
///     changes = *(place:u16 bits:u8)
func fuzzSealedKey(_ bytes: Span<UInt8>) {
    guard !bytes.isEmpty else { return }
    let body = bytes.array(1, bytes.count - 1)
    switch bytes[0] % 7 {
    case 0:
        let pair = settle(body, SealedKey.init(decoding:), { $0.append(to: $1) })
        require(pair?.first == pair?.again, "a key is read as another one")
        if let key = pair?.first { require(key.bytes.starts(with: key.head), "a key does not begin with its head") }
    case 1:
        let pair = settle(
            body, KeyAttestation.init(decoding:), { key, buffer in key.encoded.withSpan { buffer.append($0) } })
        require(pair?.first == pair?.again, "an attestation is read as another one")
    case 2: fuzzGuardedRowKey(body)
    case 3: Format(KeyBinding.init(from:), { $0.append(to: $1) }).settleEqually(body)
    case 4: Format(KeyUse.init(from:), { $0.append(to: $1) }).settleEqually(body)
    case 5: fuzzChangedKey(body)
    default: fuzzChangedRowKey(body)
    }
}

private func fuzzGuardedRowKey(_ body: [UInt8]) {
    guard let key = try? GuardedRowKey(decoding: body) else { return }
    require(key.bytes == body, "a row's key is written in another way")
    require(body.starts(with: key.head) && body.count <= GuardedRowKey.mostBytes, "a row's key is too long")
}

private func changed(_ bytes: [UInt8], by changes: [UInt8]) -> [UInt8] {
    var (bytes, input) = (bytes, InputReader(changes.span))
    while !input.isAtEnd {
        let place = Int(input.byte()) | Int(input.byte()) << 8
        bytes[place % bytes.count] ^= input.byte()
    }
    return bytes
}

private func fuzzChangedKey(_ changes: [UInt8]) {
    let keys = SealedKeys.shared
    for bytes in keys.sealed {
        let other = changed(bytes, by: changes)
        guard let key = try? SealedKey(decoding: SecretBytes(other)) else { continue }
        do throws(Refusal) { try keys.enclave.checkKey(key) } catch {
            require(other != bytes, "a key is refused as it was: \(error)")
            continue
        }
        require(other == bytes, "a key is believed that was changed")
    }
}

private func fuzzChangedRowKey(_ changes: [UInt8]) {
    let keys = SealedKeys.shared
    let other = changed(keys.wrapped, by: changes)
    let record = [Accessibility.whenUnlocked.rawValue, 0, 0, 0] + keys.row + other
    let answer = SecretBuffer(capacity: 64)
    must("one row") { () throws(Refusal) in try keys.enclave.unwrapRowKeys(record.span, into: answer) }
    let isOpen = answer.withSpan { $0[0] } == RowKeyRecord.Outcome.opened.rawValue
    require(isOpen == (other == keys.wrapped), "a row's key opens that was changed, or not as it was")
}

/// The keys that an enclave has made for this process.
private final class SealedKeys: Sendable {
    static let shared = SealedKeys()
    let enclave = FuzzDevice.shared.keyMaker()
    let sealed: [[UInt8]]
    let row = Randomness.bytes(RowKeyRecord.rowBytes)
    let wrapped: [UInt8]

    private init() {
        let enclave = enclave
        let controls: [UInt64] = [
            AccessControl.privateKeyUsage, AccessControl.privateKeyUsage | AccessConstraint.anchoredProgram,
        ]
        sealed = controls.map { control in
            must("a key") { () throws(Refusal) in
                let binding = KeyBinding(group: "g", accessibility: .whenUnlocked, control: control)
                return try enclave.makeKey(binding, in: nil).bytes
            }
        }
        let row = row
        wrapped = must("a row's key") { () throws(Refusal) in
            try enclave.wrapRowKey(.randomKey(), row: row.span, for: .whenUnlocked)
        }
    }
}

extension FuzzSeeds {
    static func ofSealedKey() -> [[UInt8]] {
        let point = [UInt8](repeating: 4, count: 65)
        let statement = KeyAttestation.Statement(attest: [1, 2, 3], signature: [UInt8](repeating: 1, count: 64))
        let attestation = KeyAttestation(
            key: [1], attestationKey: [2], keyPoint: point, attestationPoint: point, certification: statement,
            quote: statement)
        let guarded = GuardedRowKey(
            flags: 1, binding: GuardBinding(enrolment: Array(0..<32), password: Array(0..<24)), box: Array(0..<88))
        let plain = GuardedRowKey(flags: 1, binding: GuardBinding(), box: Array(0..<60))
        return [
            [0] + sealedKey.bytes, [0] + guardedKey.bytes, [1] + attestation.encoded.array, [2] + guarded.bytes,
            [2] + plain.bytes, [3] + written { binding.append(to: $0) }, [4] + written { keyUse.append(to: $0) }, [5],
            [6],
        ] + (0..<120).map { [5, UInt8($0 * 2), 0, 1] } + (0..<60).map { [6, UInt8($0), 0, 0x80] }
    }
}
