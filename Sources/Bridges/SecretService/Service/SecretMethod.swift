import Systemd

/// A method of the service, with the types of what goes in and out.
struct SecretMethod {
    let interface: SecretInterface
    let name: String
    let input: String
    let output: String
    let run: @Sendable (Bridge, MethodCall) throws(BusFailure) -> BusAnswer

    /// All methods of the specification, and those of gnome-keyring's that clients call.
    static let all: [SecretMethod] = [
        .init(.service, "OpenSession", "sv", "vo") { (b, c) throws(BusFailure) in try b.openSession(c) },
        .init(.service, "CreateCollection", "a{sv}s", "oo") { (b, c) throws(BusFailure) in try b.createCollection(c) },
        .init(steps: .service, "SearchItems", "a{ss}", "aoao") { (b, c) throws(BusFailure) in try b.searchAll(c) },
        .init(steps: .service, "Unlock", "ao", "aoo") { (b, c) throws(BusFailure) in try b.unlock(c) },
        .init(steps: .service, "Lock", "ao", "aoo") { (b, c) throws(BusFailure) in try b.lock(c) },
        .init(.service, "LockService", "", "") { (b, c) throws(BusFailure) in try b.lockAll() },
        .init(steps: .service, "GetSecrets", "aoo", "a{o(oayays)}") { (b, c) throws(BusFailure) in try b.getSecrets(c)
        },
        .init(.service, "ReadAlias", "s", "o") { (b, c) throws(BusFailure) in try b.readAlias(c) },
        .init(.service, "SetAlias", "so", "") { (b, c) throws(BusFailure) in try b.setAlias(c) },
        .init(.service, "ChangeLock", "o", "o") { (b, c) throws(BusFailure) in try b.changeLock(c) },
        .init(.keyring, "ChangeWithPrompt", "o", "o") { (b, c) throws(BusFailure) in try b.changeLock(c) },
        .init(.keyring, "ChangeWithMasterPassword", "o(oayays)(oayays)", "") { (b, c) throws(BusFailure) in
            try b.changeLock(c)
        },
        .init(.keyring, "CreateWithMasterPassword", "a{sv}(oayays)", "o") { (b, c) throws(BusFailure) in
            try b.changeLock(c)
        },
        .init(.keyring, "UnlockWithMasterPassword", "o(oayays)", "") { (b, c) throws(BusFailure) in
            throw .noPasscodeHere
        },
        .init(.collection, "Delete", "", "o") { (b, c) throws(BusFailure) in try b.deleteCollection(c) },
        .init(steps: .collection, "SearchItems", "a{ss}", "ao") { (b, c) throws(BusFailure) in
            try b.searchCollection(c)
        },
        .init(.collection, "CreateItem", "a{sv}(oayays)b", "oo") { (b, c) throws(BusFailure) in try b.createItem(c) },
        .init(.item, "Delete", "", "o") { (b, c) throws(BusFailure) in try b.deleteItem(c) },
        .init(.item, "GetSecret", "o", "(oayays)") { (b, c) throws(BusFailure) in try b.getSecret(c) },
        .init(.item, "SetSecret", "(oayays)", "") { (b, c) throws(BusFailure) in try b.setSecret(c) },
        .init(.session, "Close", "", "") { (b, c) throws(BusFailure) in try b.closeSession(c) },
        .init(.prompt, "Prompt", "s", "") { (b, c) throws(BusFailure) in try b.showPrompt(c) },
        .init(.prompt, "Dismiss", "", "") { (b, c) throws(BusFailure) in try b.dismissPrompt(c) },
    ]

    private init(
        _ interface: SecretInterface, _ name: String, _ input: String, _ output: String,
        _ run: @escaping @Sendable (Bridge, MethodCall) throws(BusFailure) -> [BusValue]
    ) {
        self.init(steps: interface, name, input, output) { (bridge, call) throws(BusFailure) in
            .values(try run(bridge, call))
        }
    }

    /// A method that may be answered in steps.
    private init(
        steps interface: SecretInterface, _ name: String, _ input: String, _ output: String,
        _ run: @escaping @Sendable (Bridge, MethodCall) throws(BusFailure) -> BusAnswer
    ) {
        (self.interface, self.name, self.input, self.output, self.run) = (interface, name, input, output, run)
    }
}
