import LinuxSystem

/// Makes git keep its logins in the keychain: a section at the end of the user's configuration, between two marks.
///
/// The empty helper in it makes git forget helpers that come before, which would keep a copy of every login.
enum GitSetup {
    static let target = SetupTarget(
        name: "git", summary: "git keeps its logins in the keychain and in no other helper"
    ) { place, wish throws(CommandFailure) in
        let path = try configuration(place)
        let before = try FileChange.read(path)
        let rest = try section.removed(from: before ?? "", path)
        guard !wish.undoes else { return [FileChange(path: path, before: before, after: rest.isEmpty ? nil : rest)] }
        return [FileChange(path: path, before: before, after: rest + section.section(lines(for: helper(place))))]
    }

    private static let section = MarkedSection(comment: "#", target: "git")

    private static func lines(for helper: String) -> String { "[credential]\n\thelper =\n\thelper = \(helper)\n" }

    /// The helper by its name where git finds it, else by the path of this command.
    private static func helper(_ place: SetupPlace) -> String {
        if place.program("git-credential-keychain") != nil { return "keychain" }
        return "!security git-credential"
    }

    /// The file that `git config --global` writes.
    private static func configuration(_ place: SetupPlace) throws(CommandFailure) -> String {
        if let path = place.variable("GIT_CONFIG_GLOBAL") { return path }
        let other = place.folder("XDG_CONFIG_HOME", else: ".config") + "/git/config"
        let usual = "\(place.home)/.gitconfig"
        if try FileChange.read(usual) == nil, try FileChange.read(other) != nil { return other }
        return usual
    }
}
