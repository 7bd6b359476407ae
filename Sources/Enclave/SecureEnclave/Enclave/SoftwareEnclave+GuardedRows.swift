import EnclaveWire
import KeychainCrypto
package import KeychainModel
package import KeychainWire
package import LinuxSystem

/// Rows with access control. Their keys are opened one at a time, and only with the grants that the access control
/// requires.
extension SoftwareEnclave {
    package func wrapGuardedRowKey(
        _ key: SecretBytes, row: [UInt8], for accessibility: Accessibility, flags: UInt64,
        in context: AuthenticationContext?
    ) throws(Refusal) -> [UInt8] {
        guard key.count == RowKeyRecord.keyBytes else { throw .wrongSize("row key") }
        guard row.count == RowKeyRecord.rowBytes else { throw .wrongSize("row identity") }
        let (binding, inner) = try bind(key, to: flags, in: context)
        let guarded = GuardedRowKey(flags: flags, binding: binding)
        let box = try seal(inner, aad: guarded.aad(row, accessibility), for: accessibility)
        return GuardedRowKey(flags: flags, binding: binding, box: box).bytes
    }

    package func unwrapGuardedRowKey(
        _ wrapped: [UInt8], row: [UInt8], for accessibility: Accessibility, in context: AuthenticationContext?
    ) throws(Refusal) -> SecretBytes {
        let (inner, guarded) = try openBox(ofRow: row, wrapped, for: accessibility)
        let use = GuardedUse(
            identifier: row, constraint: AccessConstraint(flags: guarded.flags), operation: .useItem)
        let key = try openGuarded(inner, guarded.binding, for: use, in: context)
        guard key.count == RowKeyRecord.keyBytes else { throw .damagedKey }
        return key
    }

    /// Opens the box of a guarded row: only then is known that the flags are those it was wrapped with.
    func openBox(
        ofRow row: [UInt8], _ wrapped: [UInt8], for accessibility: Accessibility
    ) throws(Refusal) -> (inner: SecretBytes, guarded: GuardedRowKey) {
        guard row.count == RowKeyRecord.rowBytes else { throw .wrongSize("row identity") }
        guard let guarded = try? GuardedRowKey(decoding: wrapped) else { throw .damagedKey }
        return (try openBox(guarded.box, aad: guarded.aad(row, accessibility), for: accessibility), guarded)
    }
}

extension GuardedRowKey {
    fileprivate func aad(_ row: [UInt8], _ accessibility: Accessibility) -> [UInt8] {
        WrappingBinding.row(row.span, accessibility) + head
    }
}
