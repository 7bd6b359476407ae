import EnclaveWire
import KeychainModel
import KeychainWire
import LinuxSystem

/// What concerns the age of the store.
extension EnclaveDispatcher {
    func perform(
        aboutAge operation: EnclaveOperation, _ body: inout WireReader, _ descriptors: [FileDescriptor],
        into answer: SecretBuffer
    ) throws(Refusal) {
        if operation == .acceptStore {
            try body.last { (_) throws(Refusal) in }
            return try enclave.acceptStore(descriptors[0]).append(to: answer)
        }
        let beginsBlock = try body.integer(UInt8.self) != 0
        let mark = body.isAtEnd ? nil : try body.last { (body) throws(Refusal) in try StoreMark(from: &body) }
        try enclave.renew(mark, beginsBlock: beginsBlock).append(to: answer)
    }
}
