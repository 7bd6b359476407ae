/// The user namespace of this process (user_namespaces(7)).
package enum UserNamespace {
    private static let usersOfAMachine: UInt64 = 4_294_967_295

    /// Whether the number may stand for a user of the machine without a number in this namespace, as root of the
    /// machine in a rootless container. The kernel gives all of them one number (overflowuid, proc_sys_kernel(5)).
    ///
    /// False where `/proc` does not say.
    package static func hidesUser(behind user: UInt32) -> Bool {
        user == (try? readNumber("/proc/sys/kernel/overflowuid")) && (try? mappedUsers()) ?? .max < usersOfAMachine
    }

    private static func readNumber(_ path: String) throws(SystemError) -> UInt32? {
        UInt32(try text(of: path).split(whereSeparator: \.isWhitespace).first ?? "")
    }

    /// Each line of the map is the first number inside, the first outside, and how many.
    private static func mappedUsers() throws(SystemError) -> UInt64 {
        try text(of: "/proc/self/uid_map").split(separator: "\n").reduce(into: 0) { sum, line in
            sum += UInt64(line.split(whereSeparator: \.isWhitespace).last ?? "") ?? usersOfAMachine
        }
    }

    private static func text(of path: String) throws(SystemError) -> String {
        String(decoding: try ProcessDirectory.read(path, limit: 65536), as: UTF8.self)
    }
}
