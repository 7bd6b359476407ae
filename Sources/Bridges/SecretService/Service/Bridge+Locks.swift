import KeychainClient
import KeychainModel
import KeychainWire
import LinuxSystem
import Systemd

/// Locking, unlocking and asking the user.
extension Bridge {
    /// A lock from the bus is a mark on the collection, for all clients. The keychain itself stays open: any client may
    /// call this. The mark ends with any next unlock of the keychain, and not with the bridge.
    func lock(_ call: MethodCall) throws(BusFailure) -> BusAnswer {
        try answer(toKnown: call.paths(0)) { (named) throws(BusFailure) in
            try self.mark(Set(named.map(\.collection)))
            return [.objects(named.map(\.path)), .object("/")]
        }
    }

    func lockAll() throws(BusFailure) -> [BusValue] {
        try mark(Set(try collections().map(\.name)))
        return []
    }

    /// Whatever is open is given back at once, and so is everything where no passcode is set.
    func unlock(_ call: MethodCall) throws(BusFailure) -> BusAnswer {
        try answer(toKnown: call.paths(0)) { (named) throws(BusFailure) in try self.unlock(named, for: call.client) }
    }

    private func unlock(_ named: [Known], for client: String) throws(BusFailure) -> [BusValue] {
        let closed = try lockedOnes(among: named.map(\.collection))
        let status = try status()
        if closed.isEmpty || !status.passcodeIsSet {
            unmark(closed)
            return [.objects(named.map(\.path)), .object("/")]
        }
        let open = named.filter { !closed.contains($0.collection) }.map(\.path)
        let rest = named.filter { closed.contains($0.collection) }.map(\.path)
        return [.objects(open), .object(try prompt(.unlock(rest, collections: closed), for: client))]
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
        (locked[collection.name], surplus[collection.name]) = (nil, nil)
        signal("CollectionDeleted", from: .service, collection.object.path)
    }

    /// The path of a collection or an item, with its collection.
    private typealias Known = (path: String, collection: String)

    /// So many paths are looked at before other clients have their turn. A call for fewer is answered at once.
    private static let pathsInStep = 1000

    /// Answers a call with those of its paths that are known.
    private func answer(
        toKnown paths: [String], _ answer: @escaping ([Known]) throws(BusFailure) -> [BusValue]
    ) throws(BusFailure) -> BusAnswer {
        let all = try collections()
        let (names, aliases) = (Set(all.map(\.name)), Self.names(byAliases: all))
        var (rest, found) = (paths[...], [Known]())
        let step: BusAnswer.Step = { () throws(BusFailure) in
            for path in rest.prefix(Self.pathsInStep) {
                if let name = SecretObject(path, aliases: aliases)?.collection, names.contains(name) {
                    found.append((path, name))
                }
            }
            rest = rest.dropFirst(Self.pathsInStep)
            return rest.isEmpty ? try answer(found) : nil
        }
        if let values = try step() { return .values(values) }
        return .steps(step)
    }

    /// The collections that are marked as locked. Marks that an unlock of the keychain has ended go; a daemon that was
    /// started again has seen none.
    func marked() throws(BusFailure) -> Set<String> {
        guard !locked.isEmpty else { return [] }
        let last = try lastUnlock()
        if last != 0 { unmark(Set(locked.filter { $0.value != last }.keys)) }
        return Set(locked.keys)
    }

    private func lastUnlock() throws(BusFailure) -> UInt64 {
        try asking { () throws(Refusal) -> UInt64 in
            guard case .lastUnlock(let number) = try secrets.reach().device(.lastUnlock, passcodes: []) else {
                throw .unknownState
            }
            return number
        }
    }

    private func mark(_ names: Set<String>) throws(BusFailure) {
        let last = try lastUnlock()
        let changed = names.filter { $0 != SecretCollection.session && locked[$0] == nil }
        let marks = names.filter { $0 != SecretCollection.session }.map { ($0, last) }
        locked.merge(marks) { _, new in new }
        tell(changed, isLocked: true)
    }

    private func unmark(_ names: Set<String>) {
        let changed = names.filter { locked[$0] != nil }
        locked = locked.filter { !changed.contains($0.key) }
        tell(changed, isLocked: false)
    }

    /// Tells everybody of collections that are locked now, or no more.
    private func tell(_ names: Set<String>, isLocked: Bool) {
        for name in names.sorted() {
            let collection = SecretObject.collection(name)
            properties(["Locked": .flag(isLocked)], of: collection)
            noteLocks(of: name, isLocked)
            signal("CollectionChanged", from: .service, collection.path)
        }
    }

    /// Above ``mostListed`` items a lock is told of the collection alone.
    private func noteLocks(of collection: String, _ isLocked: Bool) {
        for path in listed(collection) ?? [] {
            if let item = SecretObject(path, aliases: [:]) { properties(["Locked": .flag(isLocked)], of: item) }
            signal("ItemChanged", from: .collection(collection), path)
        }
    }

    // MARK: - Prompts

    private func prompt(_ purpose: SecretPrompt.Purpose, for client: String) throws(BusFailure) -> String {
        let owner = clients.owner(of: client)
        guard prompts.clients.filter({ clients.owner(of: $0) == owner }).count < Self.mostPrompts else {
            throw BusFailure(
                .limitsExceeded, "A program may have \(Self.mostPrompts) prompts open. Wait for one, or dismiss it.")
        }
        let name = nextName("p")
        prompts.add(SecretPrompt(name: name, client: client, purpose: purpose, asker: asker(client)))
        return SecretObject.prompt(name).path
    }

    /// An application in a sandbox names no display: it could name one of its own.
    private func asker(_ client: String) -> Asker? {
        if let title = owner.title { return .application(title) }
        return clients[client].map { .program(AskingProgram($0)) }
    }

    private func ownPrompt(_ call: MethodCall) throws(BusFailure) -> SecretPrompt {
        guard case .prompt(let name) = call.object, let prompt = prompts[name], prompt.client == call.client else {
            throw .gone(call.path)
        }
        return prompt
    }

    /// Returns at once; the answer comes as a signal.
    func showPrompt(_ call: MethodCall) throws(BusFailure) -> [BusValue] {
        prompts.show(try ownPrompt(call).name)
        return []
    }

    func dismissPrompt(_ call: MethodCall) throws(BusFailure) -> [BusValue] {
        prompts.dismiss(try ownPrompt(call).name)
        return []
    }

    /// The deeds for the prompts of clients.
    var deeds: SecretPrompts.Deeds {
        SecretPrompts.Deeds(
            ask: { [unowned self] in questions.ask(question($0, for: $1)) },
            withdraw: { [unowned self] in questions.withdraw($0) },
            isMet: { [unowned self] in isMet($0) }, complete: { [unowned self] in complete($0, agreed: $1) })
    }

    private func question(_ number: Int, for prompt: SecretPrompt) -> SecretQuestion {
        let isClosed = (try? status().lockState) == .beforeFirstUnlock
        let kind: SecretQuestion.Kind = isClosed && !prompt.isDeletion ? .unlock : .presence(prompt.reason(of: owner))
        return SecretQuestion(number: number, kind: kind, asker: prompt.asker)
    }

    /// Whether all that a prompt would unlock is unlocked.
    private func isMet(_ prompt: SecretPrompt) -> Bool {
        guard case .unlock(_, let collections) = prompt.purpose else { return false }
        return (try? lockedOnes(among: Array(collections)))?.isEmpty ?? false
    }

    /// Does what the user has agreed to, and tells the client.
    private func complete(_ prompt: SecretPrompt, agreed: Bool) {
        let result = agreed ? try? fulfil(prompt.purpose) : nil
        tell(
            BusSignal(
                member: "Completed", interface: SecretInterface.prompt.rawValue,
                path: SecretObject.prompt(prompt.name).path, client: prompt.client,
                values: [.flag(result == nil), .variant(result ?? prompt.nothing)]))
    }

    private func fulfil(_ purpose: SecretPrompt.Purpose) throws(BusFailure) -> BusValue {
        switch purpose {
        case .unlock(let paths, let collections):
            unmark(collections)
            for name in collections { try checkUnlocked(name, "The keychain is locked") }
            return .objects(paths)
        case .delete(let agreed):
            // Meanwhile another one may have got the path, or this one another name.
            let collection = try collection(agreed.name)
            guard collection.isShown(as: agreed) else { throw .gone(agreed.object.path) }
            try remove(collection)
            return .text("")
        }
    }
}

extension SecretPrompt {
    fileprivate var isDeletion: Bool { if case .delete = purpose { true } else { false } }

    /// The purpose, for the user who is asked.
    fileprivate func reason(of owner: SecretsOwner) -> PromptText {
        switch purpose {
        case .unlock where owner == .outside:
            PromptText(english: "unlock the passwords of desktop programs", chinese: "解锁桌面程序的密码")
        case .unlock:
            PromptText(english: "unlock the passwords of this application", chinese: "解锁此应用程序的密码")
        case .delete(let collection):
            PromptText(
                english: "delete the collection “\(Self.shown(collection.label))” and everything in it",
                chinese: "删除密码集“\(Self.shown(collection.label))”及其全部内容")
        }
    }

    /// The bytes of a label in a question. With it, all of the question is shown.
    private static let labelBytes = 120

    /// A program's label, in quotation marks that it cannot close: it is one line, with a space for each mark.
    private static func shown(_ label: String) -> String {
        let words = label.unicodeScalars.split { scalar in
            scalar.properties.isWhitespace || scalar.properties.isQuotationMark || scalar == "`"
        }
        return ForeignText.shown(words.map { String($0) }.joined(separator: " "), limit: labelBytes, inQuotes: true)
    }
}

extension Refusal {
    fileprivate static let unknownState = Refusal(
        .internalError, .internalError, "unlock", "The keychain has not said when it was unlocked.",
        do: "Look at its log.")
}
