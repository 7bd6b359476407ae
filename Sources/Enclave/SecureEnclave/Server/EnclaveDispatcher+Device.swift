import EnclaveWire
import KeychainModel
import KeychainWire
import LinuxSystem

/// What concerns slots and settings.
extension EnclaveDispatcher {
    func perform(
        _ operation: EnclaveOperation, _ body: inout WireReader, _ descriptors: [FileDescriptor],
        into answer: SecretBuffer
    ) throws(Refusal) {
        switch operation {
        case .details:
            try body.last { (_) throws(Refusal) in }
            try enclave.details().append(to: answer)
        case .changeSettings:
            try enclave.change(try body.last { (body) throws(Refusal) in try DeviceSettings(from: &body) })
        case .unlockWith:
            try enclave.unlock(with: try Self.credential(&body), descriptors[0])
        case .replacePasscode:
            try enclave.replacePasscode(with: descriptors[1], by: try Self.credential(&body), descriptors[0])
        case .removeSlot:
            let number = try body.integer(UInt8.self)
            try enclave.removeSlot(number, by: try Self.credential(&body), descriptors[0])
        default:
            let kind = try UnlockSlot.Kind(from: &body)
            let other = descriptors.count > 1 ? descriptors[1] : nil
            try enclave.addSlot(kind, other, by: try Self.credential(&body), descriptors[0])
        }
    }

    private static func credential(_ body: inout WireReader) throws(Refusal) -> CredentialKind {
        try body.last { (body) throws(Refusal) in try CredentialKind(from: &body) }
    }
}
