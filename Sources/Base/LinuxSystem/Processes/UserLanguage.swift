/// The language of texts for people, in which the command and the prompts of one user agree. Machines read English:
/// JSON, the form of macOS, names of options and commands.
package enum UserLanguage: CaseIterable, Sendable {
    case english
    case chinese

    /// The language that the variables of a user's locale ask for, in gettext's order: `LANGUAGE`, `LC_ALL`,
    /// `LC_MESSAGES`, `LANG`. `LANGUAGE` is a list, and counts only where the locale is a language. The system's own
    /// locales have no part in it, so a language works where its locale is not installed.
    package init(_ environment: (String) -> String?) {
        let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap(environment).first { !$0.isEmpty } ?? "C"
        let isPlain = locale == "C" || locale == "POSIX" || locale.hasPrefix("C.")
        let list = isPlain ? [] : (environment("LANGUAGE") ?? "").split(separator: ":").map(String.init)
        self = (list + [locale]).lazy.compactMap(Self.spoken).first ?? .english
    }

    private static func spoken(_ locale: String) -> UserLanguage? {
        switch locale.prefix(while: { $0.isASCII && $0.isLetter }).lowercased() {
        case "zh": .chinese
        case "en", "c", "posix": .english
        default: nil
        }
    }
}
