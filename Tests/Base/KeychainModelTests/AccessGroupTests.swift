import Testing

@testable import KeychainModel

@Suite("Groups with a special meaning")
struct AccessGroupTests {
    @Test(
        "The group of an application in a sandbox has its kind and its name, and nothing else",
        arguments: [
            ("secret-service:flatpak:org.example.App", true), ("secret-service:snap:a-b_c.d9", true),
            ("secret-service:flatpak:\(String(repeating: "a", count: 255))", true),
            ("secret-service:flatpak:\(String(repeating: "a", count: 256))", false),
            ("secret-service", false), ("secret-service:", false), ("secret-service:flatpak", false),
            ("secret-service:flatpak:", false), ("secret-service:flatpak:a b", false),
            ("secret-service:flatpak:a/b", false), ("secret-service:flatpak:a:b", false),
            ("secret-service:flatpak:a*", false), ("secret-service:flatpak:\u{212A}", false),
            ("secret-service:Flatpak:a", false), ("secret-service:unit:a", false), ("Secret-service:flatpak:a", false),
            (" secret-service:flatpak:a", false), ("claimed:secret-service:flatpak:a", false),
            ("flatpak:org.example.App", false), ("program:secret-service:flatpak:a", false),
            ("com.apple.token", false), ("*", false), ("", false),
        ])
    func sandboxed(group: String, expected: Bool) { #expect(AccessGroup.isOfSandboxedSecrets(group) == expected) }

    @Test("Each application has another group, and none is that of another kind of program")
    func different() {
        let groups = SandboxKind.allCases.map { AccessGroup.ofSandboxedSecrets($0, "app") }
        #expect(groups == ["secret-service:flatpak:app", "secret-service:snap:app"])
        for group in groups {
            #expect(!AccessGroup.isOfUnsigned(group) && !AccessGroup.isClaimed(group))
            #expect(!AccessGroup.isOfBridgesPath(group))
        }
    }
}
