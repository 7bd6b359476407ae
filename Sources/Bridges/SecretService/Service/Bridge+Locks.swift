import KeychainModel
import KeychainWire
import Systemd

/// Locking, unlocking and asking the user.
extension Bridge {
    /// A lock from the bus is a mark on the collection, for all clients. The keychain itself stays open: any client may
    /// call this.
    func lock(_ call: MethodCall) throws(BusFailure) -> [BusValue] {
        let named = try known(call.paths(0))
        setLocked(Set(named.map(\.collection)).subtracting([SecretCollection.session]), true)
        return [.objects(named.map(\.path)), .object("/")]
    }

    func lockAll() throws(BusFailure) -> [BusValue] {
        setLocked(Set(try collections().map(\.name)).subtracting([SecretCollection.session]), true)
        return []
    }

    /// Whatever is open is given back at once, and so is everything where no passcode is set.
    func unlock(_ call: MethodCall) throws(BusFailure) -> [BusValue] {
        let named = try known(call.paths(0))
        let closed = try lockedOnes(among: named.map(\.collection))
        let status = try status()
        if closed.isEmpty || !status.passcodeIsSet {
            setLocked(closed, false)
            return [.objects(named.map(\.path)), .object("/")]
        }
        let open = named.filter { !closed.contains($0.collection) }.map(\.path)
        let rest = named.filter { closed.contains($0.collection) }.map(\.path)
        return [.objects(open), .object(try prompt(.unlock(rest, collections: closed), for: call.client))]
    }

    func deleteCollection(_ call: MethodCall) throws(BusFailure) -> [BusValue] {
        guard case .collection(let name) = call.object else { throw .gone(call.path) }
        let collection = try collection(name)
        guard ![SecretCollection.login, SecretCollection.session].contains(name) else {
            throw BusFailure(.notSupported, "The collection “\(name)” is always there.")
        }
        guard try !paths(of: name, atMost: 1).isEmpty else {
            try remove(collection)
            return [.object("/")]
        }
        return [.object(try prompt(.delete(collection), for: call.client))]
    }

    private func remove(_ collection: SecretCollection) throws(BusFailure) {
        try asking { () throws(Refusal) in try secrets.deleteCollection(collection) }
        locked.remove(collection.name)
        signal("CollectionDeleted", from: .service, collection.object.path)
    }

    /// The paths that are those of a collection or an item, each with its collection.
    private func known(_ paths: [String]) throws(BusFailure) -> [(path: String, collection: String)] {
        let all = try collections()
        return paths.compactMap { path in
            switch SecretObject(path, aliases: Self.names(byAliases: all)) {
            case .collection(let name)? where all.contains { $0.name == name }: return (path, name)
            case .item(let name, _)? where all.contains { $0.name == name }: return (path, name)
            default: return nil
            }
        }
    }

    /// Marks collections, and tells everybody of those that were otherwise.
    private func setLocked(_ names: Set<String>, _ isLocked: Bool) {
        let changed = names.filter { locked.contains($0) != isLocked }
        if isLocked { locked.formUnion(changed) } else { locked.subtract(changed) }
        for name in changed.sorted() {
            let collection = SecretObject.collection(name)
            properties(["Locked": .flag(isLocked)], of: collection)
            noteLocks(of: name, isLocked)
            signal("CollectionChanged", from: .service, collection.path)
        }
    }

    /// Above ``mostListed`` items a lock is told of the collection alone.
    private func noteLocks(of collection: String, _ isLocked: Bool) {
        guard let paths = try? paths(of: collection, atMost: Self.mostListed + 1), paths.count <= Self.mostListed
        else { return }
        for path in paths {
            if let item = SecretObject(path, aliases: [:]) { properties(["Locked": .flag(isLocked)], of: item) }
            signal("ItemChanged", from: .collection(collection), path)
        }
    }

    // MARK: - Prompts

    private func prompt(_ purpose: SecretPrompt.Purpose, for client: String) throws(BusFailure) -> String {
        guard prompts.values.count(where: { $0.client == client }) < Self.mostPrompts else {
            throw BusFailure(.limitsExceeded, "A client may have \(Self.mostPrompts) prompts open.")
        }
        let name = nextName("p")
        prompts[name] = SecretPrompt(client: client, purpose: purpose)
        return SecretObject.prompt(name).path
    }

    private func ownPrompt(_ call: MethodCall) throws(BusFailure) -> (String, SecretPrompt) {
        guard case .prompt(let name) = call.object, let prompt = prompts[name], prompt.client == call.client else {
            throw .gone(call.path)
        }
        return (name, prompt)
    }

    /// Returns at once; the answer comes as a signal.
    func showPrompt(_ call: MethodCall) throws(BusFailure) -> [BusValue] {
        let (name, prompt) = try ownPrompt(call)
        if prompt.isShown { return [] }
        prompts[name]?.isShown = true
        ask(name, prompt.reason)
        return []
    }

    func dismissPrompt(_ call: MethodCall) throws(BusFailure) -> [BusValue] {
        let (name, _) = try ownPrompt(call)
        complete(name, agreed: false)
        return []
    }

    /// Does what the user has agreed to, and tells the client. A prompt that its client has dismissed is none any more.
    func complete(_ name: String, agreed: Bool) {
        guard let prompt = prompts.removeValue(forKey: name) else { return }
        let result = agreed ? try? fulfil(prompt.purpose) : nil
        emit(
            BusSignal(
                member: "Completed", interface: SecretInterface.prompt.rawValue, path: SecretObject.prompt(name).path,
                client: prompt.client, values: [.flag(result == nil), .variant(result ?? prompt.nothing)]))
    }

    private func fulfil(_ purpose: SecretPrompt.Purpose) throws(BusFailure) -> BusValue {
        switch purpose {
        case .unlock(let paths, let collections):
            setLocked(collections, false)
            for name in collections { try checkUnlocked(name, "The keychain is locked") }
            return .objects(paths)
        case .delete(let collection):
            try remove(collection)
            return .text("")
        }
    }
}

extension SecretPrompt {
    /// The purpose, for the user who is asked.
    fileprivate var reason: String {
        switch purpose {
        case .unlock: "unlock the passwords of desktop programs"
        case .delete(let collection): "delete the collection “\(collection.label)” and everything in it"
        }
    }
}
