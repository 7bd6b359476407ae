import KeychainModel
import LinuxSystem
import Systemd
import Testing

@testable import SecretService

@Suite("The objects, methods and sessions of the Secret Service")
struct SecretObjectTests {
    @Test(
        "A path names an object, and each object has one path",
        arguments: [
            ("/org/freedesktop/secrets", SecretObject.service),
            ("/org/freedesktop/secrets/collection/login", .collection("login")),
            ("/org/freedesktop/secrets/collection/a_20b/17", .item(collection: "a_20b", "17")),
            ("/org/freedesktop/secrets/session/s1", .session("s1")),
            ("/org/freedesktop/secrets/prompt/p1", .prompt("p1")),
        ])
    func paths(path: String, object: SecretObject) {
        #expect(SecretObject(path, aliases: [:]) == object)
        #expect(object.path == path)
    }

    @Test(
        "Other paths name nothing",
        arguments: [
            "/", "", "/org/freedesktop/secret", "/org/freedesktop/secretsx", "/org/freedesktop/secrets/",
            "/org/freedesktop/secrets/collection", "/org/freedesktop/secrets/collection/",
            "/org/freedesktop/secrets/x/y",
            "/org/freedesktop/secrets/collection/a/b/c", "/org/freedesktop/secrets/collection/a-b",
        ])
    func noPaths(path: String) { #expect(SecretObject(path, aliases: [:]) == nil) }

    @Test("An alias is a path of its own for a collection and its items")
    func aliases() {
        let aliases = ["default": "login"]
        let root = "/org/freedesktop/secrets/aliases"
        #expect(SecretObject(root + "/default", aliases: aliases) == .collection("login"))
        #expect(SecretObject(root + "/default/1", aliases: aliases) == .item(collection: "login", "1"))
        #expect(SecretObject(root + "/other", aliases: aliases) == nil)
    }

    @Test("A label becomes a name in which every byte but letters and digits is written out")
    func names() { #expect(SecretObject.name(of: "Zweite_ Ä1") == "Zweite_5f_20_c3_841") }

    @Test("The description has every method with its arguments")
    func introspection() {
        let text = Introspection.text(of: .collection("login"))
        #expect(text.contains("<method name=\"CreateItem\"><arg type=\"a{sv}\" direction=\"in\"/>"))
        #expect(text.contains("<arg type=\"(oayays)\" direction=\"in\"/><arg type=\"b\" direction=\"in\"/>"))
        #expect(text.contains("<property name=\"Label\" type=\"s\" access=\"readwrite\"/>"))
        #expect(Introspection.text(above: "/org")?.contains("\"freedesktop\"") == true)
        #expect(Introspection.text(above: "/org/free") == nil)
    }

    @Test("Every method answers with the types that the specification names, and no name stands twice")
    func table() {
        let names = SecretMethod.all.map { "\($0.interface.rawValue).\($0.name)" }
        #expect(Set(names).count == names.count)
        #expect(
            SecretMethod.all.allSatisfy { Introspection.types($0.input + $0.output).joined() == $0.input + $0.output })
    }

    @Test("A plain session takes a text and no parameters; an unknown algorithm is not supported")
    func plainSession() throws {
        let (session, output) = try SecretSession.open(for: ":1.1", SecretSession.plain, .text(""))
        #expect(output == .text(""))
        let secret = { (text: String) in SecretBytes(copying: Array(text.utf8).span) }
        let value = secret("v")
        let sent = try session.sealed(value, "text/plain", in: "/s")
        #expect(sent == .structure([.object("/s"), .bytes([]), .secret(BusSecret(secret("v"))), .text("text/plain")]))
        #expect(try session.opened(secret(""), secret("w")).count == 1)
        #expect(throws: BusFailure.self) { try session.opened(secret("1"), secret("w")) }
        #expect(throws: BusFailure.self) { try SecretSession.open(for: ":1.1", SecretSession.plain, .bytes([])) }
        let unknown = #expect(throws: BusFailure.self) { try SecretSession.open(for: ":1.1", "rot13", .text("")) }
        #expect(unknown?.name == .notSupported)
    }

    @Test("An addition replaces the item with exactly its attributes, and an empty list replaces none")
    func replacing() {
        func item(_ pairs: LookupAttributes.Pairs, kind: String = "") -> SecretItem {
            SecretItem(
                name: "1", collection: "login", label: "", lookup: LookupAttributes(pairs: pairs, kind: kind),
                created: 0,
                modified: 0)
        }
        let stored = item(["a": "1", "b": "2"])
        #expect(stored.isReplaced(by: LookupAttributes(pairs: ["a": "1", "b": "2"])))
        #expect(!stored.isReplaced(by: LookupAttributes(pairs: ["a": "1"])))
        #expect(!stored.isReplaced(by: LookupAttributes(pairs: ["a": "1", "b": "2"], kind: "other")))
        #expect(!item([:]).isReplaced(by: LookupAttributes(pairs: [:])))
    }

    @Test("The session's collection keeps values in memory, up to its capacity")
    func memory() throws {
        let memory = SessionSecrets()
        let secret = { (text: String) in SecretBytes(copying: Array(text.utf8).span) }
        let value = secret("v")
        let name = memory.add(label: "l", LookupAttributes(pairs: ["a": "1"]), value, by: "one")
        #expect(name == "1")
        let item = try #require(memory.all.first)
        #expect(memory.value(of: item).isEqual(to: value))
        #expect(memory.change(item, SecretChange(label: "m"), value: nil))
        #expect(memory.all.map(\.label) == ["m"])
        let add = { (owner: String) in memory.add(label: "", LookupAttributes(pairs: [:]), value, by: owner) != nil }
        let half = memory.capacity / 2
        #expect((1..<half).allSatisfy { _ in add("one") })
        #expect(!add("one"), "half is for one process")
        #expect((0..<half).allSatisfy { _ in add("two") })
        #expect(!add("three"))
        memory.delete(item)
        #expect(memory.all.count == memory.capacity - 1)
    }

    @Test("Values of the session's collection take no more memory than their share, also by changes")
    func memoryOfValues() throws {
        let memory = SessionSecrets()
        let (half, none) = (SecretBytes(count: memory.bytes / 2), LookupAttributes(pairs: [:]))
        #expect(memory.add(label: "", none, half, by: "one") != nil)
        #expect(memory.add(label: "", none, SecretBytes(count: 1), by: "one") == nil)
        let small = SecretBytes(count: 1)
        #expect(memory.add(label: "", none, small, by: "two") != nil)
        let item = try #require(memory.all.first { memory.value(of: $0).count == 1 })
        #expect(!memory.change(item, SecretChange(), value: SecretBytes(count: memory.bytes / 2 + 1)))
        #expect(memory.value(of: item) === small)
        #expect(memory.change(item, SecretChange(), value: half), "the value takes the place of the old one")
        #expect(memory.change(item, SecretChange(), value: small))
    }

    @Test("An item is exactly what is asked for with or without its schema, and more is more")
    func exactness() {
        let lookup = LookupAttributes(pairs: ["a": "1", LookupAttributes.schema: "s"])
        let item = SecretItem(name: "1", collection: "login", label: "", lookup: lookup, created: 0, modified: 0)
        #expect(item.isExactly(["a": "1"]) && item.isExactly(["a": "1", LookupAttributes.schema: "s"]))
        #expect(!item.isExactly([:]) && !item.isExactly(["a": "2"]) && !item.isExactly([LookupAttributes.schema: "s"]))
        let older = SecretMatch(item, ["a": "1"])
        let newer = SecretItem(name: "2", collection: "login", label: "", lookup: lookup, created: 1, modified: 1)
        #expect(SecretMatch.comesFirst(older, SecretMatch(newer, [:])))
        #expect(SecretMatch.comesFirst(SecretMatch(newer, ["a": "1"]), older))
    }

    @Test("The account of a replacement is that of its attributes and type")
    func accounts() {
        let one = LookupAttributes(pairs: ["a": "1"], contentType: "text/plain").account
        #expect(one == LookupAttributes(pairs: ["a": "1"], contentType: "other").account)
        #expect(one != LookupAttributes(pairs: ["a": "1"], kind: "k").account)
        #expect(one != LookupAttributes(pairs: ["a": "2"]).account)
    }

    @Test("Of more sessions than a process may have, the oldest ends, and nobody else's")
    func sessions() throws {
        var sessions = OpenSessions()
        let (own, _) = try SecretSession.open(for: ":1.1", SecretSession.plain, .text(""))
        let (other, _) = try SecretSession.open(for: ":1.2", SecretSession.plain, .text(""))
        sessions.open(other, "other", by: "B")
        for number in 0...OpenSessions.mostOfProcess { sessions.open(own, "s\(number)", by: "A") }
        #expect(sessions["s0"] == nil && sessions["s1"] != nil && sessions["other"] != nil)
        sessions.close("s1")
        #expect(sessions.names(of: ":1.1").count == OpenSessions.mostOfProcess - 1)
        sessions.closeAll(of: ":1.1")
        #expect(sessions["s2"] == nil && sessions["other"] != nil)
    }

    @Test("The connections of a process share what it may have, and many processes end their own sessions first")
    func sessionsOfProcesses() throws {
        var sessions = OpenSessions()
        let session = { (client: String) in try SecretSession.open(for: client, SecretSession.plain, .text("")).0 }
        sessions.open(try session(":9.9"), "honest", by: "honest")
        for process in 0..<5 {
            for connection in 0..<2 {
                let own = try session(":\(process).\(connection)")
                for number in 0..<OpenSessions.mostOfProcess {
                    sessions.open(own, "\(process)-\(connection)-\(number)", by: "\(process)")
                }
            }
        }
        let all = (0..<5).flatMap { process in (0..<2).flatMap { sessions.names(of: ":\(process).\($0)") } }
        #expect(all.count == OpenSessions.most - 1 && sessions["honest"] != nil)
        #expect(!sessions.names(of: ":4.0").isEmpty && !sessions.names(of: ":4.1").isEmpty)
        for process in 0..<5 { for connection in 0..<2 { sessions.closeAll(of: ":\(process).\(connection)") } }
        #expect(sessions["honest"] != nil && sessions.names(of: ":4.1").isEmpty)
    }
}
