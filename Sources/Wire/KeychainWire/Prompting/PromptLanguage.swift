/// The languages of prompts.
package enum PromptLanguage: CaseIterable, Sendable {
    case english
    case chinese

    /// The languages that the variables of a user's locale ask for, in gettext's order. `LANGUAGE` is a list, and
    /// counts only where the locale is a language.
    package init(_ environment: [String: String]) {
        let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? "C"
        let isPlain = locale == "C" || locale == "POSIX" || locale.hasPrefix("C.")
        let list = isPlain ? [] : (environment["LANGUAGE"] ?? "").split(separator: ":").map(String.init)
        self = (list + [locale]).lazy.compactMap(Self.spoken).first ?? .english
    }

    private static func spoken(_ locale: String) -> PromptLanguage? {
        switch locale.prefix(while: { $0.isASCII && $0.isLetter }).lowercased() {
        case "zh": .chinese
        case "en", "c", "posix": .english
        default: nil
        }
    }
}
