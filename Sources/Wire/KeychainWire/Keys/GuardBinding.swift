package import KeychainModel
package import LinuxSystem

/// The secrets and enrolment that an access control was bound to when its row or key was made or bound again.
///
///     guardBinding = enrolment:bytes password:bytes
///     enrolment    = empty | byte:32                       ; of the biometry, for `biometryCurrentSet`
///     password     = empty | memory:u32 passes:u32 salt:16 ; Argon2id with one lane, for `applicationPassword`
///
/// It is in the clear, and associated data of what is guarded.
package struct GuardBinding: Hashable, Sendable {
    package var enrolment: [UInt8]
    package var password: [UInt8]

    package static let enrolmentBytes = 32
    package static let passwordBytes = 24

    package init(enrolment: [UInt8] = [], password: [UInt8] = []) {
        (self.enrolment, self.password) = (enrolment, password)
    }

    /// Appends the binding to a message under construction.
    package func append(to buffer: SecretBuffer) {
        buffer.append(bytes: enrolment.span)
        buffer.append(bytes: password.span)
    }

    /// Reads a binding that a peer wrote.
    ///
    /// - Throws: `errSecParam` (`wire.malformed`) when it cannot be read.
    package init(from reader: inout WireReader) throws(Refusal) {
        enrolment = try reader.bytes(atMost: Self.enrolmentBytes)
        password = try reader.bytes(atMost: Self.passwordBytes)
        guard [0, Self.enrolmentBytes].contains(enrolment.count), [0, Self.passwordBytes].contains(password.count)
        else { throw .malformed("what an access control is bound to") }
    }
}
