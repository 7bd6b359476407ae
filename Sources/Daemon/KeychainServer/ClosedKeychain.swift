package import KeychainModel
package import KeychainPolicy
package import KeychainWire
package import LinuxSystem

/// Stands in for a keychain that cannot be opened: it refuses every request with the reason, so that programs learn it.
package final class ClosedKeychain: RequestHandler {
    private let reason: Refusal
    package let stateEpoch = StateEpoch()

    /// - Parameter reason: why it cannot be opened.
    package init(_ reason: Refusal) { self.reason = reason }

    package func makeItemReader() -> Reader { Reader(reason) }
    package func maintain() {}
    package func withdraw(_ conversation: PromptCancellation) {}
    package func news() throws(Refusal) -> DeviceStateChange { throw reason }

    package func numbers(of watch: GroupWatch, for caller: CallerIdentity) throws(Refusal) -> [GroupNumber] {
        throw reason
    }

    package func write(_ batch: [Write]) {
        for write in batch { write.writer.refuse(reason, id: write.id) }
    }

    package func device(
        _ request: DeviceRequest, passcodes: [FileDescriptor], from caller: CallerIdentity, id: UInt32,
        by deadline: Deadline, into writer: ResponseWriter
    ) { writer.refuse(reason, id: id) }

    package func key(_ request: KeyRequest, from caller: CallerIdentity, id: UInt32, into writer: ResponseWriter) {
        writer.refuse(reason, id: id)
    }

    package func authentication(
        _ request: AuthenticationRequest, password: FileDescriptor?, from caller: CallerIdentity,
        _ conversation: PromptCancellation, id: UInt32, by deadline: Deadline, into writer: ResponseWriter
    ) { writer.refuse(reason, id: id) }

    package final class Reader: RequestReader {
        private let reason: Refusal

        init(_ reason: Refusal) { self.reason = reason }

        package func read(
            _ request: ItemRequest, from caller: CallerIdentity, id: UInt32, by deadline: Deadline,
            into writer: ResponseWriter
        ) { writer.refuse(reason, id: id) }
    }

    package struct Write: QueuedWrite {
        package let writer = ResponseWriter()
        let id: UInt32

        package init(_ request: ItemRequest, from caller: CallerIdentity, id: UInt32, by deadline: Deadline) {
            self.id = id
        }
    }
}
