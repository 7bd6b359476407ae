import Glibc
import KeychainClient
import KeychainModel
import KeychainWire
import LinuxSystem

/// The stand-in's device.
extension StandInKeychain {
    static func perform(
        _ request: DeviceRequest, _ passcodes: [[UInt8]], _ state: inout State
    ) throws(Refusal) -> DeviceReply {
        switch request {
        case .status: return .status(status(state))
        case .verify(let cursor): return .verification(page(from: cursor, of: state.report, state.age))
        case .snapshot: return .snapshot(path: "/keychain/keychain.db.20260101T000000Z.snapshot")
        case .lock: state.isLocked = state.passcode != nil
        case .unlock:
            guard passcodes.first == state.passcode else { throw wrongPasscode }
            state.isLocked = false
        case .setPasscode:
            guard state.passcode == nil ? passcodes.count == 1 : passcodes.first == state.passcode else {
                throw wrongPasscode
            }
            state.passcode = passcodes.last
        case .removePasscode, .removePasscodeAndFiles:
            guard passcodes.first == state.passcode else { throw wrongPasscode }
            guard state.passcodeShelves == 0 || request == .removePasscodeAndFiles else {
                throw Refusal(.param, .losesFiles, "password", "Files would be lost.", do: "Confirm it.")
            }
            state.passcode = nil
        case .moveToTPM, .moveToSoftware:
            guard state.passcode == nil || passcodes.first == state.passcode else { throw wrongPasscode }
            state.isOnTPM = request == .moveToTPM
            if !state.isOnTPM { state.slots.removeAll { $0.kind != .recovery } }
        case .acceptStore:
            guard state.passcode == nil || passcodes.first == state.passcode else { throw wrongPasscode }
            state.age = .current
        default: return try performOnSlots(request, passcodes, &state)
        }
        return .done
    }

    static func perform(_ change: CircleChange, _ state: inout State) throws(Refusal) -> SyncStatus? {
        state.circleChanges.append(change)
        switch change {
        case .leave:
            guard state.circle != nil || state.circleRefusal != nil else {
                throw Refusal(.notAvailable, .noCircle, "circle", "There is none.", do: "Begin one.")
            }
            (state.circle, state.circleRefusal) = (nil, nil)
        case .begin, .join, .add, .remove, .pair, .recoveryKey, .recover, .reset:
            state.circle = state.circleAfterwards ?? state.circle
        }
        return state.circle
    }

    private static func performOnSlots(
        _ request: DeviceRequest, _ passcodes: [[UInt8]], _ state: inout State
    ) throws(Refusal) -> DeviceReply {
        switch request {
        case .details:
            let first = UnlockSlot(number: 0, kind: state.passcode == nil ? .device : .passcode)
            return .details(DeviceDetails(settings: state.settings, slots: [first] + state.slots, agent: state.agent))
        case .identity: return .identity(state.caller)
        case .examine: return .identity(Self.entitled)
        case .release:
            guard let release = state.release else { throw .malformed("the device request") }
            return .release(release)
        case .backup(.dates):
            guard let dates = state.backups else { throw .malformed("the backup request") }
            return .backup(.dates(dates))
        case .sync(.status):
            if let refusal = state.circleRefusal { throw refusal }
            return .sync(.status(state.circle))
        case .sync(.pause): return .sync(.done)
        case .access(.work(let work)): return .access(try Self.work(work, &state))
        case .access(.keepRows(let rows)):
            state.rows = rows
            return .access(.done)
        case .access(.row(let number)):
            guard state.hasTerminal else {
                throw Refusal(.param, .rowsWithoutTerminal, "row", "No terminal.", do: "Use words.")
            }
            guard state.rows.indices.contains(Int(number) - 1) else {
                throw Refusal(.itemNotFound, .noSuchRow, "row", "No such row.", do: "List.")
            }
            return .access(.row(state.rows[Int(number) - 1]))
        case .access(let request): return .access(try state.access(request, passcodes))
        case .watch: return .news(DeviceStateChange(epoch: state.epoch, status: status(state)))
        case .changeSettings(let settings): state.settings = settings
        case .unlockWith(let kind):
            try check(passcodes, kind, state)
            state.isLocked = false
        case .replacePasscode(let kind):
            try check(passcodes, kind, state)
            state.passcode = passcodes.last
        case .addSlot(let slot, let kind):
            try check(passcodes, kind, state)
            state.slots.append(UnlockSlot(number: UInt8(state.slots.count + 1), kind: slot))
        case .removeSlot(let number, let kind):
            guard number > 0 else { throw lastSlot }
            try check(passcodes, kind, state)
            state.slots.removeAll { $0.number == number }
        default: throw .malformed("a request that the stand-in does not know")
        }
        return .done
    }

    private static func check(_ passcodes: [[UInt8]], _ kind: CredentialKind, _ state: State) throws(Refusal) {
        guard passcodes.first == (kind == .passcode ? state.passcode : state.recoveryCode) else { throw wrongPasscode }
    }

    private static let lastSlot = Refusal(
        .param, .contradiction, "slot", "This is the slot of the password.", do: "Use set-keychain-password.")

    private static func status(_ state: State) -> DeviceStatus {
        DeviceStatus(
            protection: state.isOnTPM ? .hardware : state.passcode == nil ? .softwareOnly : .passcode,
            lockState: state.isLocked ? .locked : .unlocked, passcodeIsSet: state.passcode != nil,
            failedAttempts: state.failedAttempts, retryAfter: state.retryAfter, deployment: state.deployment,
            location: "/home/ada/keychain", enclave: "separate process",
            age: state.age)
    }

    private static func page(
        from cursor: VerificationCursor, of report: VerificationReport, _ age: KeychainAge
    ) -> VerificationPage {
        var page = VerificationPage()
        if cursor.itemClass == nil {
            page.report.file = report.file
            page.report.age = age
        } else {
            page.report = report
            page.report.file = ""
            page.total = report.checked
            page.next = VerificationCursor(nil, after: 0)
        }
        return page
    }

    static func read(_ file: FileDescriptor) -> [UInt8] {
        // The position in a memory file is the sender's, wherever it left it.
        lseek(file.number, 0, SEEK_SET)
        let bytes = SecretBytes(count: 2048)
        let count = bytes.withMutableSpan { span in (try? file.readFully(into: &span)) ?? 0 }
        return bytes.withSpan { $0.array(0, count) }
    }

    static let notFound = Refusal(.itemNotFound, .notFound, "query", "Nothing matches.", do: "Look for something else.")
    static let locked = Refusal(
        .interactionNotAllowed, .locked, "keychain", "The keychain is locked.", do: "Unlock it.")
    private static let wrongPasscode = Refusal(
        .authFailed, .wrongPasscode, "passcode", "The passcode is wrong.", do: "Try another.")
}
