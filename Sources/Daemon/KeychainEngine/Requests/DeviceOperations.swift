import EnclaveWire
package import KeychainModel
package import KeychainPolicy
import KeychainStore
package import KeychainWire
package import LinuxSystem

/// Requests that concern the device rather than items. Everything here may take long.
extension KeychainEngine {
    /// Answers a device request into `writer`.
    ///
    /// - Parameters:
    ///   - passcodes: as many as the request takes; the enclave reads them, this process does not.
    ///   - deadline: when the request is given up. A call of the enclave that has begun is not: each has a timeout of
    ///     its own, and a call given up would cost everybody the enclave.
    package func device(
        _ request: DeviceRequest, passcodes: [FileDescriptor], from caller: CallerIdentity, id: UInt32,
        by deadline: Deadline, into writer: ResponseWriter
    ) {
        do throws(Refusal) {
            guard request.descriptors.contains(passcodes.count) else { throw .malformed("the number of passcodes") }
            try deadline.check()
            defer {
                if request.mayChangeVault(with: passcodes.count) { lookAtVault(mayHaveOpened: !request.isOfCircle) }
            }
            try perform(request, passcodes, caller, id, deadline, writer)
            note(request, caller, nil)
        } catch {
            note(request, caller, error)
            writer.refuse(error, id: id)
        }
    }

    private func note(_ request: DeviceRequest, _ caller: CallerIdentity, _ refusal: Refusal?) {
        guard let operation = request.traits.logged else { return }
        var entry = AuditLog.Entry(caller, operation, named: request.group)
        if let refusal { entry.end(in: refusal) }
        decisions.record(entry)
    }

    private func perform(
        _ request: DeviceRequest, _ passcodes: [FileDescriptor], _ caller: CallerIdentity, _ id: UInt32,
        _ deadline: Deadline, _ writer: ResponseWriter
    ) throws(Refusal) {
        switch request {
        case .status:
            exclusively { age.look(at: $0.store) }
            let status = try status()
            return writer.answer(id) { status.append(to: $0) }
        case .verify(let cursor):
            let page = try verify(from: cursor, by: deadline)
            return writer.answer(id) { page.append(to: $0) }
        case .access(let request):
            let reply = try access(request, passcodes.first, from: caller, by: deadline)
            return writer.answer(id) { reply.append(to: $0) }
        case .details:
            let details = try enclave.details()
            return writer.answer(id) { details.append(to: $0) }
        case .identity: return writer.answer(id) { CallerReport(caller).append(to: $0) }
        case .release: return writer.answer(id) { release.append(to: $0) }
        case .lastUnlock: return answer(try enclave.status().lastUnlock, id, writer)
        case .examine:
            // Only the server or the embedded keychain, which identify callers, know programs.
            throw Refusal(
                .unimplemented, .notImplemented, "examine", "Nobody here identifies programs.", do: "Ask a daemon.")
        case .watch: return try answerWatch(nil, caller, id, writer)
        case .watchGroups(let watch): return try answerWatch(watch, caller, id, writer)
        case .snapshot:
            let path = try store.snapshot(by: deadline)
            return writer.answer(id) { $0.append(text: path) }
        case .backup(let request): return answer(try backup(request, passcodes, from: caller, by: deadline), id, writer)
        case .sync(let request): return answer(try sync(request, passcodes, from: caller), id, writer)
        case .lock, .unlock, .setPasscode, .removePasscode, .removePasscodeAndFiles, .moveToTPM, .moveToSoftware,
            .unlockWith, .replacePasscode, .addSlot, .removeSlot, .changeSettings, .acceptStore, .setFileRecovery:
            try change(request, passcodes)
        }
        writer.answer(id) { _ in }
    }

    /// Answers a watch at once. Watchers wait elsewhere: in a server for many at once, in an embedded keychain without
    /// the engine.
    ///
    /// - Parameter groups: the groups that are watched; nil for the state of the device.
    private func answerWatch(
        _ groups: GroupWatch?, _ caller: CallerIdentity, _ id: UInt32, _ writer: ResponseWriter
    ) throws(Refusal) {
        guard let groups else {
            let news = try news()
            return writer.answer(id) { news.append(to: $0) }
        }
        let numbers = try numbers(of: groups, for: caller)
        writer.answer(id) { numbers.append(to: $0) }
    }

    private func answer(_ number: UInt64, _ id: UInt32, _ writer: ResponseWriter) {
        writer.answer(id) { $0.append(littleEndian: number) }
    }

    private func answer(_ reply: SyncReply, _ id: UInt32, _ writer: ResponseWriter) {
        writer.answer(id) { reply.append(to: $0) }
    }

    private func answer(_ reply: BackupReply, _ id: UInt32, _ writer: ResponseWriter) {
        writer.answer(id) { reply.append(to: $0) }
    }

    /// Performs a request that changes the state and is answered with nothing.
    private func change(_ request: DeviceRequest, _ passcodes: [FileDescriptor]) throws(Refusal) {
        switch request {
        case .lock: try enclave.lock()
        case .unlock: try enclave.unlock(passcode: passcodes[0])
        case .setPasscode where passcodes.count == 1: try enclave.setPasscode(passcodes[0])
        case .setPasscode: try enclave.changePasscode(from: passcodes[0], to: passcodes[1])
        case .removePasscode: try removePasscode(passcodes[0], losesFiles: false)
        case .removePasscodeAndFiles: try removePasscode(passcodes[0], losesFiles: true)
        case .moveToTPM: try enclave.move(to: .tpm, passcode: passcodes[0])
        case .moveToSoftware: try enclave.move(to: .software, passcode: passcodes[0])
        case .unlockWith(let kind): try enclave.unlock(with: kind, passcodes[0])
        case .replacePasscode(let kind): try enclave.replacePasscode(with: passcodes[1], by: kind, passcodes[0])
        case .addSlot(let slot, let kind):
            try enclave.addSlot(slot, passcodes.count > 1 ? passcodes[1] : nil, by: kind, passcodes[0])
        case .removeSlot(let number, let kind): try enclave.removeSlot(number, by: kind, passcodes[0])
        case .changeSettings(let settings): try enclave.change(settings)
        case .acceptStore: try acceptStore(passcodes[0])
        case .setFileRecovery(let recipients, let kind):
            try enclave.setFileRecovery(recipients, by: kind, passcodes[0])
        case .status, .verify, .access, .details, .identity, .release, .examine, .watch, .watchGroups,
            .snapshot, .lastUnlock, .backup, .sync:
            break
        }
        // A password that was set in a folder which has gone is nobody's.
        if request.mayChangeVault(with: passcodes.count) {
            try change { (writer) throws(Refusal) in try writer.store.checkUse() }
        }
    }

    /// A page of a verification. With the last page, the store's counters are checked, and counted again when they are
    /// wrong.
    private func verify(
        from cursor: VerificationCursor, by deadline: Deadline
    ) throws(Refusal) -> VerificationPage {
        let itemReader = try makeItemReader(past: nil)
        let known = try enclave.status().age
        guard known == .current else { return try Self.page(of: itemReader.reader, closedBy: known) }
        var page = try itemReader.verify(from: cursor, by: deadline)
        guard cursor.itemClass == nil else { return page }
        exclusively { age.look(at: $0.store) }
        page.report.age = try status().age
        let damaged = try itemReader.reader.countDamagedVersions(by: deadline)
        if damaged > 0 { page.report.note("\(damaged) earlier versions of items are not as they were written") }
        let shelves = try countDamagedShelves(by: deadline)
        if shelves > 0 { page.report.note("\(shelves) shelves of protected files do not open") }
        let wrong = try itemReader.reader.countWrongCounters(by: deadline)
        guard wrong > 0 else { return page }
        try change { (writer) throws(Refusal) in try writer.store.recount() }
        page.report.note("\(wrong) counters of items were wrong and were counted again")
        return page
    }

    /// A vault that is not believed opens no row.
    private static func page(of reader: StoreReader, closedBy age: KeychainAge) throws(Refusal) -> VerificationPage {
        var page = VerificationPage()
        page.total = try reader.countRows()
        (page.report.locked, page.report.age) = (page.total, age)
        return page
    }

    /// The number of the device's state, which moves with every change.
    package var stateEpoch: StateEpoch { enclave.epoch }

    /// The state and its number, as they are now.
    package func news() throws(Refusal) -> DeviceStateChange {
        // In this order: a change in between is told by the next watch.
        let epoch = enclave.epoch.value
        return DeviceStateChange(epoch: epoch, status: try status())
    }

    private func acceptStore(_ passcode: FileDescriptor) throws(Refusal) {
        exclusively { age.look(at: $0.store) }
        guard try status().age != .current else { throw .nothingToAccept }
        try change { (writer) throws(Refusal) in try age.accept(writer.store, passcode) }
    }

    /// Removes the passcode, and with it everything that it alone protected. The transaction keeps others from adding
    /// such items in between under a new passcode: those would go too.
    ///
    /// - Parameter losesFiles: whether the user knows that protected files go with it. Their shelves have no copy.
    private func removePasscode(_ old: FileDescriptor, losesFiles: Bool) throws(Refusal) {
        try change { (writer) throws(Refusal) in
            try writer.store.transaction { () throws(Refusal) in
                let lost = try passcodeShelves(in: writer.store.shelves)
                guard losesFiles || lost.isEmpty else { throw .losesFiles(lost.count) }
                try writer.store.purge(.whenPasscodeSetThisDeviceOnly)
                for shelf in lost { try writer.store.delete(shelf) }
                try enclave.removePasscode(old)
            }
        }
    }
}

extension Refusal {
    fileprivate static func losesFiles(_ count: Int) -> Refusal {
        Refusal(
            .param, .losesFiles, "password",
            "Protected files open only while the keychain has a password, those of \(count) shelves: they would be "
                + "lost.",
            do: "Move them to another class first, or confirm: `security set-keychain-password -f -p \"\"`.")
    }
}

extension VerificationReport {
    /// Adds something about the file as a whole.
    fileprivate mutating func note(_ text: String) { file = file.isEmpty ? text : "\(file); \(text)" }
}
