import Foundation
import Keychain
import KeychainTesting
import Testing

/// Values under names, and the property wrapper.
@Suite("Keychain values")
struct KeychainValuesTests {
    struct Session: Codable, Equatable {
        var token: String
        var expires: Date
        var scopes: [String]
    }

    private let values = KeychainValues(service: "org.example.app")

    private func keychain(_ body: () throws -> Void) throws { try TestKeychain(accessGroups: ["A", "B"]).run(body) }

    @Test("What is set is read back: text, data, numbers, structures")
    func roundTrip() throws {
        try keychain {
            let session = Session(token: "t", expires: Date(timeIntervalSince1970: 1000), scopes: ["a", "b"])
            try values.set("pässword\n", for: "text")
            try values.set(Data([0, 255, 10]), for: "data")
            try values.set(42, for: "number")
            try values.set(session, for: "session")
            #expect(try values.value(String.self, for: "text") == "pässword\n")
            #expect(try values.value(Data.self, for: "data") == Data([0, 255, 10]))
            #expect(try values.value(Int.self, for: "number") == 42)
            #expect(try values.value(Session.self, for: "session") == session)
            #expect(try values.names() == ["data", "number", "session", "text"])
        }
    }

    @Test("Text is kept as its bytes, so that other programs can read it")
    func plainText() throws {
        try keychain {
            try values.set("plain", for: "text")
            let item = try KeychainQuery<GenericPassword>().where(\.account, equals: "text").first()
            #expect(item?.value == Data("plain".utf8))
        }
    }

    @Test("Setting again replaces the value and keeps the item")
    func replaces() throws {
        try keychain {
            try values.set("1", for: "name")
            let before = try KeychainQuery<GenericPassword>().first()?.record
            try values.set("2", for: "name")
            let after = try KeychainQuery<GenericPassword>().first()?.record
            #expect(try values.value(String.self, for: "name") == "2")
            #expect(before?.persistentReference == after?.persistentReference && before?.created == after?.created)
        }
    }

    @Test("What is not there is nil, and removing it says so")
    func missing() throws {
        try keychain {
            #expect(try values.value(String.self, for: "name") == nil)
            #expect(try !values.remove("name"))
            try values.set("1", for: "name")
            #expect(try values.remove("name"))
            #expect(try values.value(String.self, for: "name") == nil)
            #expect(try !values.removeAll())
        }
    }

    @Test("Services, groups and synchronised values are apart")
    func apart() throws {
        try keychain {
            let others = [
                KeychainValues(service: "org.example.other"), KeychainValues(service: values.service, accessGroup: "B"),
                KeychainValues(service: values.service, isSynchronized: true),
            ]
            try values.set("mine", for: "name")
            for other in others { try other.set("other", for: "name") }
            #expect(try KeychainValues(service: values.service, accessGroup: "A").value(for: "name") == "mine")
            for other in others { #expect(try other.value(for: "name") == "other") }
        }
    }

    @Test("A value of another type is refused by name, and the refusal does not quote it")
    func undecodable() throws {
        try keychain {
            try values.set("hunter2", for: "name")
            let error = #expect(throws: KeychainError.self) { try values.value(Session.self, for: "name") }
            #expect(error?.status == -26275)
            #expect(error.map { "\($0)" }?.contains("Session") == true)
            #expect(error.map { "\($0)" }?.contains("hunter2") == false)
            try values.set(["token": "hunter2"], for: "name")
            let missing = #expect(throws: KeychainError.self) { try values.value(Session.self, for: "name") }
            #expect(missing.map { "\($0)" }?.contains("hunter2") == false)
            #expect(missing.map { "\($0)" }?.contains("is missing") == true)
        }
    }

    @Test("A group the program has not is refused with the keychain's explanation")
    func foreignGroup() throws {
        try keychain {
            let foreign = KeychainValues(service: "s", accessGroup: "C")
            let error = #expect(throws: KeychainError.self) { try foreign.set("1", for: "name") }
            #expect(error?.status == -34018)
        }
    }

    @Test("A property is the value in the keychain")
    func property() throws {
        struct Settings {
            @KeychainValue("token", service: "org.example.app") var token: String?
        }
        try keychain {
            let settings = Settings()
            #expect(settings.token == nil && settings.$token.error == nil)
            settings.token = "1"
            #expect(try values.value(String.self, for: "token") == "1")
            try values.set("2", for: "token")
            #expect(settings.token == "2")
            settings.token = nil
            #expect(try values.names().isEmpty)
            settings.token = nil
            #expect(settings.$token.error == nil)
        }
    }

    @Test("A property that is refused reads as nil and says why")
    func refusedProperty() throws {
        struct Settings {
            @KeychainValue("token", in: KeychainValues(service: "s", accessGroup: "C")) var token: String?
        }
        try keychain {
            let settings = Settings()
            settings.token = "1"
            #expect(settings.$token.error?.status == -34018)
            #expect(settings.token == nil)
            #expect(throws: KeychainError.self) { try settings.$token.load() }
        }
    }

    @Test("From a task the same is done without blocking its thread")
    func asynchronously() async throws {
        let keychain = try TestKeychain()
        let values = values
        try await keychain.run {
            try await withoutBlocking { () throws(KeychainError) in try values.set("1", for: "name") }
            let value = try await withoutBlocking { () throws(KeychainError) in
                try values.value(String.self, for: "name")
            }
            #expect(value == "1")
        }
    }
}
