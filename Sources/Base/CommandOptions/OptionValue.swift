/// The kind of value that an option of a program takes. The parser checks it, and its refusal follows from it.
package enum OptionValue: Sendable {
    /// A switch.
    case none
    /// A word that may not be empty.
    case word
    case absolutePath
    case number(ClosedRange<UInt64>)
    case oneOf([String])
    /// The number of a descriptor that the program has inherited.
    case descriptor
    /// The first word of the command line, which chooses another table. A value behind it belongs to that table.
    case firstWord

    /// Why an option cannot have this value; nil for one that it can have.
    ///
    /// - Parameter text: nil when no word follows the option.
    func problem(_ name: String, with text: String?) -> String? {
        let isAccepted =
            switch self {
            case .none: true
            case .word, .descriptor: text?.isEmpty == false
            case .absolutePath: text?.hasPrefix("/") == true
            case .number(let range): text.flatMap { UInt64($0) }.map(range.contains) == true
            case .oneOf(let choices): text.map(choices.contains) == true
            case .firstWord: false
            }
        return isAccepted ? nil : "\(name) \(demand)."
    }

    private var demand: String {
        switch self {
        case .none: "takes no value"
        case .word: "takes a value"
        case .absolutePath: "takes an absolute path"
        case .number(let range): "takes a number from \(range.lowerBound) to \(range.upperBound)"
        case .oneOf(let choices): "takes \(choices.joined(separator: " or "))"
        case .descriptor: "takes the number of an open descriptor"
        case .firstWord: "is only understood as the first word"
        }
    }
}

/// A row of a program's table: an option as it is typed, its value and its meaning.
package struct ProgramOption: Sendable {
    /// How often a command line has the option.
    package enum Count: Sendable {
        case optional
        case required
        case repeated
    }

    /// With both minus signs.
    package let name: String
    /// The name of the value in help; empty for a switch.
    package let value: String
    package let kind: OptionValue
    package let count: Count
    /// Sentences for help and the manual page.
    package let meaning: String

    package init(
        _ name: String, value: String = "", _ kind: OptionValue, count: Count = .optional, _ meaning: String
    ) {
        (self.name, self.value, self.kind, self.count, self.meaning) = (name, value, kind, count, meaning)
    }

    /// A switch.
    package init(_ name: String, _ meaning: String) { self.init(name, .none, meaning) }

    /// As help shows it: `--store FOLDER`.
    package var shown: String { value.isEmpty ? name : "\(name) \(value)" }
}
