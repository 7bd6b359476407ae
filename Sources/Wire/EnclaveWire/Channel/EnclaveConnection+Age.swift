package import KeychainModel
package import KeychainWire
package import LinuxSystem

/// The age of the store, through the channel.
extension EnclaveConnection {
    package func renew(_ mark: StoreMark?, beginsBlock: Bool) throws(Refusal) -> StoreAge {
        let body = SecretBuffer(capacity: 64)
        body.append(beginsBlock ? 1 : 0)
        mark?.append(to: body)
        var reader = WireReader(try body.withSpan { (body) throws(Refusal) in try call(EnclaveCall(.renewMark), body) })
        return try StoreAge(from: &reader)
    }

    package func acceptStore(_ passcode: FileDescriptor) throws(Refusal) -> StoreMark {
        var reader = WireReader(try channel.ask(.acceptStore, [passcode]))
        return try StoreMark(from: &reader)
    }
}
