import Glibc
import LinuxSystem

/// The user a unit runs as, seen from its processes.
///
/// Cron, sshd, a mail server and a web server start other people's programs, which are then in the unit's control group
/// too. The user that the service manager started the unit as tells them apart. The first process of a unit has a
/// parent outside of it, the service manager. So has a process whose parent has ended. These are its *heads*. A unit
/// with a head that is root's runs as root, for others cannot make one. Any other unit runs as the user that all of its
/// heads are.
package enum UnitUser {
    /// One process of a unit.
    package struct Member: Sendable {
        let process: Int32
        let parent: Int32
        /// Real, effective, saved, of the file system.
        let users: [UInt32]

        package init(process: Int32, parent: Int32, users: [UInt32]) {
            (self.process, self.parent, self.users) = (process, parent, users)
        }

        fileprivate func isWholly(_ user: UInt32) -> Bool { users.allSatisfy { $0 == user } }
    }

    /// The user a unit with these processes runs as; nil when that is not clear.
    package static func find(_ members: [Member]) -> UInt32? {
        let inside = Set(members.map(\.process))
        let heads = members.filter { !inside.contains($0.parent) }
        if heads.contains(where: { $0.users.contains(0) }) { return 0 }
        guard let user = heads.first?.users.first, heads.allSatisfy({ $0.isWholly(user) }) else { return nil }
        return user
    }

    /// Whether a process of a unit is the unit's own: one of the user that the unit runs as, which nobody has logged in
    /// for.
    ///
    /// - Parameters:
    ///   - hierarchies: where control groups are mounted.
    ///   - user: the effective user the process had when it connected.
    static func owns(_ process: Int32, as user: UInt32, in group: SystemUnit.Group, below hierarchies: String) -> Bool {
        guard let own = try? ProcessView(process).kinship(), own.users.allSatisfy({ $0 == user }),
            isStartedByNobody(process), let members = members(of: group, below: hierarchies),
            members.contains(where: { $0.process == process })
        else { return false }
        return find(members) == user
    }

    /// Cron, at, sshd, login and display managers record which user has come in, and root's own jobs are told apart by
    /// it too. In a container, every process has the record of the user that started the container.
    private static func isStartedByNobody(_ process: Int32) -> Bool {
        do throws(SystemError) {
            guard let user = try ProcessView(process).loginUser() else { return true }
            if user == .max { return true }
            return try ProcessView(1).loginUser() == user
        } catch { return false }
    }

    /// A unit of more processes is not looked at.
    private static let mostMembers = 2048

    private static func members(of group: SystemUnit.Group, below hierarchies: String) -> [Member]? {
        for root in group.isNamed ? ["/systemd"] : ["/unified", ""] {
            let folder = hierarchies + root + group.path
            if let numbers = ControlGroup.processes(in: folder, limit: mostMembers) { return members(numbers) }
        }
        return nil
    }

    private static func members(_ numbers: [Int32]) -> [Member]? {
        var members: [Member] = []
        for number in numbers {
            do throws(SystemError) {
                let (parent, users) = try ProcessView(number).kinship()
                members.append(Member(process: number, parent: parent, users: users))
            } catch  where error.code == ENOENT || error.code == ESRCH {
                // It has ended meanwhile.
            } catch { return nil }
        }
        return members
    }
}
