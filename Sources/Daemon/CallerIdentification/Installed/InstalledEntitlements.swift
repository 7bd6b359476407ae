package import KeychainModel

/// The entitlements that root has installed for programs and scripts.
package struct InstalledEntitlements: Sendable {
    /// The groups that a file of entitlements gives to a program.
    package struct Program: Hashable, Sendable {
        /// The entitlements file.
        package let file: String
        package let granted: GrantedGroups

        package init(file: String, granted: GrantedGroups) { (self.file, self.granted) = (file, granted) }
    }

    /// The groups that a file of entitlements gives to an interpreter that runs a script.
    package struct Script: Hashable, Sendable {
        package let file: String
        package let path: String
        /// The rest of the script's first line, which the kernel puts between the interpreter and the script's name.
        package let option: String?
        package let granted: GrantedGroups

        package init(file: String, path: String, option: String? = nil, granted: GrantedGroups) {
            (self.file, self.path, self.option, self.granted) = (file, path, option, granted)
        }
    }

    /// By the path of the executable, without symbolic links.
    package var programs: [ExactText: Program] = [:]
    /// By the path of the interpreter.
    package var scripts: [ExactText: [Script]] = [:]
    /// The entries that were left out, with the reason; a line each.
    package var problems: [String] = []
    /// Numbers the readings of the folders they are from.
    var reading: UInt64 = 0

    package init() {}

    /// The word of a command line that names the script, if it was started as the kernel starts scripts, or with the
    /// script as the interpreter's first word. By then the interpreter has read no other program: no option with code
    /// comes before it.
    package static func scriptWord(in commandLine: [String], _ script: Script) -> String? {
        guard commandLine.count > 1 else { return nil }
        if let option = script.option, commandLine[1] == option { return commandLine.count > 2 ? commandLine[2] : nil }
        return commandLine[1].hasPrefix("-") ? nil : commandLine[1]
    }
}
