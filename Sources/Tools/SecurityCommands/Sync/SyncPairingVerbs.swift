import KeychainWire
import LinuxSystem
import SyncFormat

/// The verbs that pair two machines by eight digits. The keychain's enclaves show them and ask for them.
extension SyncTask {
    /// On a machine that is in.
    func addByDigits() throws(CommandFailure) {
        let before = try status()
        _ = try folder(SyncPlace(before.place))
        say("on the other machine, which has this folder too: security sync join FOLDER")
        say("folder: \(before.place.folder)")
        let status = try pair(.invite)
        let known = Set(before.machines.map(\.id))
        let added = status.machines.first { !known.contains($0.id) }
        Carrier(session).hurry()
        if session.writesJSON { return write(status, with: added, isServed: nil) }
        say("added: \(added?.name ?? "")")
        say("the machine reads the keychain's items when both machines have looked at the folder")
    }

    /// On a machine that is to be added.
    func joinByDigits(_ given: SyncPlace) throws(CommandFailure) {
        let (name, place) = (try machineName(), try folder(given))
        say("on a machine that is in: security sync add-device; this machine then asks for the digits that it shows")
        let status = try pair(.seek(place: place, name: name))
        let partner = status.machines.first { $0.id != status.me }
        let isServed = Carrier(session).serve()
        if session.writesJSON { return write(status, with: partner, isServed: isServed) }
        say("paired: \(name) with \(partner?.name ?? ""), through \(place)")
        say("allow it there with the passcode; security sync status says here when this machine is in")
        explain(isServed: isServed)
    }

    private func folder(_ place: SyncPlace?) throws(CommandFailure) -> String {
        guard case .folder(let path)? = place else {
            throw .failed(
                "machines pair by digits over a folder alone",
                remedy: "Give `security sync join` the circle's number there, and `add-device` here the code it shows.")
        }
        return path
    }

    private func pair(_ beginning: SyncRequest) throws(CommandFailure) -> SyncStatus {
        _ = try ask(beginning)
        let status = try Carrier(session).pairing { () throws(CommandFailure) in try change(.pair) }
        guard let status else { throw .unexpectedCircleReply }
        return status
    }

    private func write(_ status: SyncStatus, with other: SyncStatus.Machine?, isServed: Bool?) {
        session.output.write(
            .object([
                ("circle", .string(status.circle.text)), ("me", .string(status.me.text)),
                ("folder", .string(status.place.folder)), ("machine", other.map(\.json) ?? .null),
                ("service", isServed.map { .boolean($0) } ?? .null),
            ]))
    }
}

/// The verbs about a circle's recovery key. The keychains' enclaves show its code and ask for it.
extension SyncTask {
    func makeRecoveryKey() throws(CommandFailure) {
        let before = Set(try status().recoveryKeys.map(\.id))
        guard let status = try change(.recoveryKey),
            let made = status.recoveryKeys.first(where: { !before.contains($0.id) })
        else { throw .unexpectedCircleReply }
        Carrier(session).hurry()
        if session.writesJSON {
            return session.output.write(
                .object([
                    ("circle", .string(status.circle.text)), ("recoveryKey", .string(made.id.text)),
                    ("replaced", .array(before.map(\.text).sorted().map { .string($0) })),
                ]))
        }
        say("the circle has a recovery key: \(made.id.text)")
        if !before.isEmpty { say("the code from before serves no more") }
        say("its code lets a new machine in when all others are lost: security sync join --recovery PLACE")
        explainRecovery(status)
    }

    /// The number that a person needs besides when all machines are lost.
    private func explainRecovery(_ status: SyncStatus) {
        switch SyncPlace(status.place) {
        case .server:
            say("the server's administrator makes an invitation into this circle then: \(status.circle.text)")
        case .bucket: say("note the circle's number with the code: \(status.circle.text)")
        case .folder, nil: break
        }
    }

    /// Enters a circle with nothing but its place and the code.
    func recover(_ place: SyncPlace) throws(CommandFailure) {
        let circle = try operands.dropFirst().first.map { (word) throws(CommandFailure) in
            guard let circle = CircleID(text: word) else { throw .usage("a circle has 32 hexadecimal digits") }
            return circle
        }
        try requireRecoverable(place, circle)
        let name = try machineName()
        if place.isRemote { _ = try prepare(place, .recovers) }
        let status = try entered(place, circle, name)
        try Carrier(session).goRound(founds: false)
        let isServed = Carrier(session).serve()
        if session.writesJSON { return write(status, with: nil, isServed: isServed) }
        say("this machine is in the circle: \(status.circle.text)")
        say("remove machines that are lost, which makes new keys: security sync remove-device")
        explain(isServed: isServed)
    }

    private func requireRecoverable(_ place: SyncPlace, _ circle: CircleID?) throws(CommandFailure) {
        guard case .bucket = place, circle == nil else { return }
        throw .failed(
            "a bucket may have circles of others",
            remedy: "Give the circle's number behind the URL; it is a name in the bucket, before `/log/`.")
    }

    private func entered(
        _ place: SyncPlace, _ circle: CircleID?, _ name: String
    ) throws(CommandFailure) -> SyncStatus {
        do throws(CommandFailure) {
            _ = try ask(.recover(place: place.text, name: name))
            try Carrier(session).bring(place, circle)
            guard let status = try change(.recover) else { throw .unexpectedCircleReply }
            return status
        } catch {
            if place.isRemote { Carrier(session).forget() }
            throw error
        }
    }
}

extension SyncStatus {
    /// The recovery keys that are in.
    var recoveryKeys: [Machine] {
        machines.filter { $0.flags.contains(.isRecoveryKey) && !$0.flags.contains(.isRemoved) }
    }
}

extension String {
    /// The folder of a circle's place.
    fileprivate var folder: String { hasPrefix("folder:") ? String(dropFirst("folder:".count)) : self }
}
