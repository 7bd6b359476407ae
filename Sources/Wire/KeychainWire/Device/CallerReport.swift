package import KeychainModel
package import LinuxSystem

/// A program's identity as the daemon sees it, for people.
///
///     report = user:u32 process:i32 flags:u8 program:text source:text detail:text count:u16 group:text…
///                                                  ; flags: bit 0 anchored, bit 1 may list all groups' items,
///                                                  ; bit 2 has the user asked for other programs
package struct CallerReport: Hashable, Sendable {
    package var user: UInt32
    /// 0 for a program file that does not run.
    package var process: Int32
    package var program: String
    /// The origin of the groups: signed, installed, flatpak, snap, unit, claimed, unsigned.
    package var source: String
    /// The team, the entitlements file, the application, the unit or the claimed name; for an unsigned program why its
    /// claim opens nothing, empty where it has none.
    package var detail: String
    package var isAnchored: Bool
    package var mayInspectAllGroups: Bool
    package var mayAskForOthers: Bool
    package var groups: [String]

    package init(
        user: UInt32, process: Int32, program: String, source: String, detail: String, isAnchored: Bool,
        mayInspectAllGroups: Bool, mayAskForOthers: Bool = false, groups: [String]
    ) {
        (self.user, self.process, self.program) = (user, process, program)
        (self.source, self.detail, self.groups) = (source, detail, groups)
        (self.isAnchored, self.mayInspectAllGroups) = (isAnchored, mayInspectAllGroups)
        self.mayAskForOthers = mayAskForOthers
    }

    package func append(to buffer: SecretBuffer) {
        buffer.append(littleEndian: user)
        buffer.append(littleEndian: process)
        buffer.append((isAnchored ? 1 : 0) | (mayInspectAllGroups ? 2 : 0) | (mayAskForOthers ? 4 : 0))
        for text in [program, source, detail] { buffer.append(text: text) }
        let count = UInt16(clamping: groups.count)
        buffer.append(littleEndian: count)
        for group in groups.prefix(Int(count)) { buffer.append(text: group) }
    }

    /// - Throws: `errSecParam` (`wire.malformed`) when it cannot be read.
    package init(from reader: inout WireReader) throws(Refusal) {
        (user, process) = (try reader.integer(UInt32.self), try reader.integer(Int32.self))
        let flags = try reader.integer(UInt8.self)
        guard flags <= 7 else { throw .malformed("the caller") }
        (isAnchored, mayInspectAllGroups, mayAskForOthers) = (flags & 1 != 0, flags & 2 != 0, flags & 4 != 0)
        (program, source, detail) = (try reader.text(), try reader.text(), try reader.text())
        groups = []
        for _ in 0..<(try reader.integer(UInt16.self)) { groups.append(try reader.text()) }
    }
}
