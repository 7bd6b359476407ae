import LinuxSystem

extension UserLanguage {
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
