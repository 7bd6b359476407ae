import KeychainModel
import KeychainStore
package import KeychainWire
package import LinuxSystem

/// What concerns the device rather than items. Everything here may take long.
extension KeychainEngine {
    /// Answers a device request into `writer`.
    ///
    /// - Parameters:
    ///   - passcodes: as many as the request takes; the enclave reads them, this process does not.
    ///   - deadline: when the request is given up. A call of the enclave that has begun is not: each has a patience of its
    ///     own, and a call given up would cost everybody the enclave.
    package func device(
        _ request: DeviceRequest, passcodes: [FileDescriptor], id: UInt32, by deadline: Deadline,
        into writer: ResponseWriter
    ) {
        do throws(Refusal) {
            guard request.descriptors.contains(passcodes.count) else { throw .malformed("the number of passcodes") }
            try deadline.check()
            try perform(request, passcodes, id, deadline, writer)
        } catch { writer.refuse(error, id: id) }
    }

    private func perform(
        _ request: DeviceRequest, _ passcodes: [FileDescriptor], _ id: UInt32, _ deadline: Deadline,
        _ writer: ResponseWriter
    ) throws(Refusal) {
        switch request {
        case .status:
            let status = try status()
            return writer.answer(id) { status.append(to: $0) }
        case .verify(let cursor):
            let page = try makeLane().verify(from: cursor, by: deadline)
            return writer.answer(id) { page.append(to: $0) }
        case .lock: try lock()
        case .unlock: try enclave.unlock(passcode: passcodes[0])
        case .setPasscode where passcodes.count == 1: try enclave.setPasscode(passcodes[0])
        case .setPasscode: try enclave.changePasscode(from: passcodes[0], to: passcodes[1])
        case .removePasscode: try removePasscode(passcodes[0])
        case .moveToTPM: try enclave.move(to: .tpm, passcode: passcodes[0])
        case .moveToSoftware: try enclave.move(to: .software, passcode: passcodes[0])
        }
        writer.answer(id) { _ in }
    }

    /// Closes the enclave's classes and, if it did close them, this engine's keys for them.
    private func lock() throws(Refusal) {
        try enclave.lock()
        if try enclave.status().lockState != .unlocked { keyring.dropClosed() }
    }

    /// Once the passcode is gone, so is what it alone protected: that is not given up at a deadline.
    private func removePasscode(_ old: FileDescriptor) throws(Refusal) {
        try enclave.removePasscode(old)
        keyring.drop(.whenPasscodeSetThisDeviceOnly)
        let outcome = exclusively { writer -> Result<Void, Refusal> in
            do throws(Refusal) { return .success(try writer.purge(.whenPasscodeSetThisDeviceOnly)) } catch {
                return .failure(error)
            }
        }
        try outcome.get()
    }
}
