import Testing

@testable import Sandboxes

@Suite("The names of applications in sandboxes are read strictly")
struct SandboxNameTests {
    @Test(
        "A Snap is known by an enforced label of AppArmor",
        arguments: [
            ("snap.firefox.firefox (enforce)", "firefox"), ("snap.a-b.hook.configure (enforce)", "a-b"),
            ("snap.firefox.firefox (complain)", nil), ("snap.firefox.firefox", nil), ("unconfined", nil),
            ("snapd.x.y (enforce)", nil), ("snap..y (enforce)", nil), ("snap.firefox (enforce)", nil), ("", nil),
            ("snap.a/b.c (enforce)", nil), ("snap.x.y (enforce) (enforce)", nil),
        ] as [(String, String?)])
    func snap(label: String, name: String?) { #expect(SnapLabel.application(label)?.identifier == name) }

    @Test("A Flatpak says its application and its instance in a key file; the first word counts")
    func flatpak() {
        let info = FlatpakInstance(
            info: """
                [Application]
                name=org.example.App
                runtime=runtime/org.example.Platform

                [Instance]
                instance-id=1234567
                name=org.example.Other
                [Application]
                name=org.example.Second
                """)
        #expect(info?.application == "org.example.App" && info?.identifier == "1234567")
    }

    @Test(
        "What could be no application or no instance is none",
        arguments: [
            "", "name=org.example.App", "[Application]\nname=org.example.App", "[Instance]\ninstance-id=1",
            "[Application]\nname=a/b\n[Instance]\ninstance-id=1",
            "[Application]\nname=a\n[Instance]\ninstance-id=..", "[Application]\nname=a\n[Instance]\ninstance-id=../x",
            "[Application]\nname=\n[Instance]\ninstance-id=1", "[Runtime]\nname=a\n[Instance]\ninstance-id=1",
        ])
    func noFlatpak(info: String) { #expect(FlatpakInstance(info: info) == nil) }
}
