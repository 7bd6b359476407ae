import KeychainWire
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
        if session.writesJSON { return write(status, with: added, isServed: nil) }
        say("added: \(added?.name ?? "")")
        say("the machine reads the keychain's items when both machines have looked at the folder")
        Carrier(session).hurry()
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
        let machine = other.map { JSONValue.object([("id", .string($0.id.text)), ("name", .string($0.name))]) }
        session.output.write(
            .object([
                ("circle", .string(status.circle.text)), ("me", .string(status.me.text)),
                ("folder", .string(status.place.folder)), ("machine", machine ?? .null),
                ("service", isServed.map { .boolean($0) } ?? .null),
            ]))
    }
}

extension String {
    /// The folder of a circle's place.
    fileprivate var folder: String { hasPrefix("folder:") ? String(dropFirst("folder:".count)) : self }
}
