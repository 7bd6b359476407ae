import Glibc
import LinuxSystem
import SystemAccounts
import Testing

@Suite("Which numbers are users of this machine's")
struct KnownUsersTests {
    @Test("Root is one, and a number that nobody has is none")
    func accounts() throws {
        #expect(try KnownUsers.contains(0))
        #expect(try !KnownUsers.contains(1_987_654_321))
    }

    @Test(
        "Subordinate numbers are those of the ranges, and lines that are none count for nothing",
        arguments: [
            (100_000, true), (165_535, true), (165_536, false), (99_999, false), (0, false), (300_000, false),
            (4_294_967_295, true),
        ] as [(UInt32, Bool)])
    func ranges(user: UInt32, isSubordinate: Bool) {
        let text = """
            ada:100000:65536
            bob:300000:0
            nonsense
            eve:x:y
            carol:200000:-5
            dan:4294967295:18446744073709551615
            """
        #expect(KnownUsers.isSubordinate(user, in: text) == isSubordinate)
    }

    @Test("An account is a whole line of the list")
    func listed() {
        let text = "root:x:0:0:root:/root:/bin/bash\nada:x:1000:1000::/home/ada:/bin/sh\nbroken:x:1001\n"
        #expect(KnownUsers.isListed(1000, in: text) && !KnownUsers.isListed(1001, in: text))
    }
}
