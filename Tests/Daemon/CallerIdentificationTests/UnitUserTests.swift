import CallerIdentification
import LinuxSystem
import Testing

@Suite("A unit is an identity for the user that it runs as")
struct UnitUserTests {
    private static func member(_ process: Int32, _ parent: Int32, _ users: UInt32...) -> UnitUser.Member {
        UnitUser.Member(
            process: process, parent: parent, users: users.count == 1 ? Array(repeating: users[0], count: 4) : users)
    }

    @Test("It runs as the user of its first process, and of those that process has started")
    func own() {
        #expect(UnitUser.find([Self.member(10, 1, 1000), Self.member(11, 10, 1000)]) == 1000)
        #expect(UnitUser.find([Self.member(10, 1, 0), Self.member(11, 10, 0)]) == 0)
    }

    @Test(
        "Programs of others that it has started do not change whom it runs as, also when they have left their parents")
    func others() {
        #expect(UnitUser.find([Self.member(10, 1, 0), Self.member(11, 10, 0), Self.member(12, 11, 1000)]) == 0)
        #expect(UnitUser.find([Self.member(12, 1, 1000), Self.member(10, 1, 0)]) == 0)
        #expect(UnitUser.find([Self.member(10, 1, 1000), Self.member(11, 10, 0)]) == 1000)
    }

    @Test("A first process of which any user is root's makes it root's")
    func partly() {
        #expect(UnitUser.find([Self.member(10, 1, 1000, 0, 0, 0)]) == 0)
        #expect(UnitUser.find([Self.member(10, 1, 1000, 1000, 0, 1000), Self.member(11, 1, 1000)]) == 0)
    }

    @Test("Where first processes are of several users, and none is root's, nobody knows whom it runs as")
    func unclear() {
        #expect(UnitUser.find([Self.member(10, 1, 1000), Self.member(11, 1, 1001)]) == nil)
        #expect(UnitUser.find([Self.member(10, 1, 1000, 1001, 1001, 1001)]) == nil)
        #expect(UnitUser.find([]) == nil)
    }

    @Test("A unit's folder ends where the unit begins to make folders of its own")
    func folder() {
        let group = SystemUnit.group(in: "0::/system.slice/system-a.slice/_web@1.service/worker/x")
        #expect(group?.unit == "web@1.service" && group?.path == "/system.slice/system-a.slice/_web@1.service")
        #expect(group?.isNamed == false)
        #expect(SystemUnit.group(in: "3:name=systemd:/a.service\n0::/")?.isNamed == true)
    }

    @Test(
        "Units that start other people's programs are known, and others that are called alike are not among them",
        arguments: [
            ("cron.service", true), ("ssh@12-10.0.0.1:22.service", true), ("getty@tty1.service", true),
            ("postfix@-.service", true), ("cron-backup.service", false), ("mycron.service", false),
            ("web@cron.service", false),
        ])
    func starters(unit: String, startsOthers: Bool) {
        #expect(SystemUnit.group(in: "0::/system.slice/\(unit)")?.startsOthers == startsOthers)
    }

    @Test("Processes are looked at up to a limit, and a group that is not there has none")
    func limits() {
        #expect(ControlGroup.processes(in: "/nowhere", limit: 8) == nil)
    }
}
