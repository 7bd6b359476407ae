/// The language of texts for people. Machines read English: JSON, the form of macOS, names of options and commands.
enum TextLanguage: Sendable {
    case english, chinese

    /// The language that an environment names: `LC_ALL`, else `LC_MESSAGES`, else `LANG`. The system's own locales have
    /// no part in it, so a language works where its locale is not installed.
    init(_ environment: (String) -> String?) {
        let values = ["LC_ALL", "LC_MESSAGES", "LANG"].compactMap(environment)
        let named = values.first { !$0.isEmpty } ?? ""
        let code = named.prefix { !"_.@-".contains($0) }.lowercased()
        self = code == "zh" ? .chinese : .english
    }

    /// A text in this language; one that the catalogue lacks stays as it is.
    ///
    /// Texts come in English, also from the keychain's service: the catalogue finds them by their words.
    func text(_ english: String) -> String {
        self == .english || english.isEmpty ? english : Catalogue.chinese.translation(of: english) ?? english
    }

    /// The words before a reason and before a next step.
    var reasonMark: String { self == .english ? "why: " : "原因：" }
    var stepMark: String { self == .english ? "next: " : "下一步：" }
}

/// A text for people, in English.
typealias Words = String
