import Keychain
import KeychainExamples
import KeychainTesting
import Testing

/// The example with a program's settings in the keychain.
@Suite("Settings in the keychain")
struct KeychainConfigurationTests {
    @Test("The first provider that knows a setting has the say, and the keychain is one")
    func providers() throws {
        try TestKeychain().run {
            try KeychainValues(service: "org.example.app").set("s3cret", for: "database.password")
            let configuration = Configuration(
                EnvironmentConfiguration(["DATABASE_HOST": "db.example"]),
                KeychainConfiguration(service: "org.example.app"))
            #expect(try configuration.string("database.host") == "db.example")
            #expect(try configuration.string("database.password") == "s3cret")
            #expect(try configuration.string("database.port") == nil)
        }
    }

    @Test("A keychain that refuses is no setting that is missing")
    func refused() throws {
        let keychain = try TestKeychain()
        try keychain.run {
            try KeychainValues(service: "s", protection: .whenUnlocked).set("1", for: "key")
            try keychain.device.setPasscode("1234")
            try keychain.device.lock()
            #expect(throws: KeychainError.self) { try Configuration(KeychainConfiguration(service: "s")).string("key") }
        }
    }
}
