import KeychainClient
import KeychainCrypto
import KeychainModel
import LinuxSystem
import Systemd

/// Another program that is the Secret Service on a bus, read as its clients read it. Nothing in it is changed, but that
/// its user may unlock a collection.
final class OtherService: SecretSource {
    static let origin = KeyringImport.service

    private let bus: SystemBus
    private let session: SecretSession
    private let path: String

    /// So many values are asked for at once.
    private static let valuesAtOnce = 50
    /// The time that a user has for another program's prompt: seconds.
    private static let patience = 120

    /// A collection with its items' paths.
    struct Collection {
        let path: String
        let label: String
        let isDefault: Bool
        /// Whether it stays closed: then it shows no values.
        let isLocked: Bool
        let items: [String]
    }

    /// An item with its value.
    struct Item {
        let label: String
        let lookup: LookupAttributes
        let value: SecretBytes
    }

    /// Opens an encrypted session.
    ///
    /// - Throws: ``BusError``; ``BusFailure`` for answers that are none of the protocol's.
    init(_ bus: SystemBus) throws {
        self.bus = bus
        let service = Self.object(SecretObject.root, .service)
        var path = ""
        session = try SecretSession.joined { key in
            let words: [BusValue] = [.text(SecretSession.encrypted), .variant(.bytes(key))]
            let answer = try bus.ask(service, "OpenSession", words)
            guard answer.count == 2, let peer = answer[0].content?.data, let opened = answer[1].string else {
                throw BusFailure.oddAnswer
            }
            path = opened
            return peer
        }
        self.path = path
    }

    private static func object(_ path: String, _ interface: SecretInterface) -> BusObject {
        BusObject(BridgeProgram.name, path, interface.rawValue)
    }

    private func properties(_ path: String, _ interface: SecretInterface) throws -> [String: BusValue] {
        let object = BusObject(BridgeProgram.name, path, StandardInterface.properties)
        let answer = try bus.ask(object, "GetAll", [.text(interface.rawValue)])
        guard let values = answer.first?.entries else { throw BusFailure.oddAnswer }
        return values.compactMapValues(\.content)
    }

    /// The collections that outlive a session, unlocked where their user does that.
    func collections() throws -> [Collection] {
        let paths = try properties(SecretObject.root, .service)["Collections"]?.elements ?? []
        let (usual, passing) = (try alias("default"), try alias("session"))
        return try paths.compactMap(\.string).filter { $0 != passing }.map { path in
            try unlock(path)
            let values = try properties(path, .collection)
            return Collection(
                path: path, label: values["Label"]?.string ?? "", isDefault: path == usual,
                isLocked: values["Locked"]?.bool ?? true,
                items: (values["Items"]?.elements ?? []).compactMap(\.string))
        }
    }

    private func alias(_ name: String) throws -> String? {
        try bus.ask(Self.object(SecretObject.root, .service), "ReadAlias", [.text(name)]).first?.string
    }

    /// Reads the items of a collection; nil for one that is not given. One item that the other service cannot read, or
    /// that is gone meanwhile, keeps no other one out.
    func items(of collection: Collection, _ body: (Item?) throws -> Void) throws {
        for start in stride(from: 0, to: collection.items.count, by: Self.valuesAtOnce) {
            let paths = Array(collection.items[start..<min(start + Self.valuesAtOnce, collection.items.count)])
            let values = try secrets(of: paths)
            for path in paths { try body(try ifGiven { try item(path, values[path]) }) }
        }
    }

    private func secrets(of paths: [String]) throws -> [String: BusValue] {
        if let found = try ifGiven({ try secretsAtOnce(of: paths) }) { return found }
        guard paths.count > 1 else { return [:] }
        var found: [String: BusValue] = [:]
        for path in paths { found.merge(try secrets(of: [path])) { first, _ in first } }
        return found
    }

    private func secretsAtOnce(of paths: [String]) throws -> [String: BusValue] {
        let words: [BusValue] = [.objects(paths), .object(path)]
        let answer = try bus.ask(Self.object(SecretObject.root, .service), "GetSecrets", words)
        guard case .dictionary(_, _, let entries)? = answer.first else { throw BusFailure.oddAnswer }
        var found: [String: BusValue] = [:]
        for entry in entries { if let name = entry.key.string { found[name] = entry.value } }
        return found
    }

    private func item(_ path: String, _ secret: BusValue?) throws -> Item? {
        guard let parts = secret?.parts, parts.count == 4, let parameters = parts[1].secret, let value = parts[2].secret
        else { return nil }
        let values = try properties(path, .item)
        // Without its attributes no program would find it.
        guard var pairs = try? values["Attributes"]?.pairs() else { return nil }
        // gnome-keyring has it now and then for an item that was stored without one.
        if pairs[LookupAttributes.schema]?.text == LookupAttributes.generic { pairs[LookupAttributes.schema] = nil }
        let kind = values["Type"]?.string ?? ""
        let isOwnKind = pairs[LookupAttributes.schema] == nil && kind != LookupAttributes.generic
        let lookup = LookupAttributes(
            pairs: pairs, kind: isOwnKind ? kind : "", contentType: parts[3].string ?? "")
        return Item(
            label: values["Label"]?.string ?? "", lookup: lookup, value: try session.opened(parameters, value))
    }

    // MARK: - Unlocking

    private func unlock(_ path: String) throws {
        let answer = try bus.ask(Self.object(SecretObject.root, .service), "Unlock", [.objects([path])])
        guard answer.count == 2, let prompt = answer[1].string, prompt != "/" else { return }
        let object = Self.object(prompt, .prompt)
        try bus.watch(BridgeProgram.name, "path='\(prompt)',member='Completed'")
        _ = try bus.ask(object, "Prompt", [.text("")])
        let deadline = Deadline.after(milliseconds: Self.patience * 1_000)
        while true {
            while let signal = try bus.nextSignal() {
                if signal.path == prompt, signal.member == "Completed" { return }
            }
            // Without an answer it stays locked.
            guard (try? bus.descriptor.wait(for: .readable, deadline: deadline)) != nil else { return }
        }
    }
}

extension BusFailure {
    fileprivate static let oddAnswer = BusFailure(
        .failed, "The program that is \(BridgeProgram.name) gives an answer that is none of its protocol's.")
}
