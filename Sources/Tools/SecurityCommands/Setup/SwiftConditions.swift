/// The `#if` lines of a Swift source, as they come out on Linux once `Security` is there. Conditions that cannot be
/// told may hold.
struct SwiftConditions {
    private struct Block {
        /// The lines that follow may be built.
        var holds: Bool
        /// A branch has been found that surely is.
        var isSettled: Bool
    }

    private var blocks: [Block] = []

    /// Whether the line after those that were read may be built.
    var hold: Bool { blocks.allSatisfy(\.holds) }

    /// Takes a line; false for one that is no condition.
    mutating func read(_ line: Substring) -> Bool {
        let text = line.drop { $0 == " " || $0 == "\t" }
        if text.hasPrefix("#if ") || text.hasPrefix("#if(") {
            let value = Self.value(text.dropFirst(3))
            blocks.append(Block(holds: value != false, isSettled: value == true))
        } else if text.hasPrefix("#elseif") {
            branch(Self.value(text.dropFirst(7)))
        } else if text.hasPrefix("#else") {
            branch(true)
        } else if text.hasPrefix("#endif") {
            _ = blocks.popLast()
        } else {
            return false
        }
        return true
    }

    private mutating func branch(_ value: Bool?) {
        guard let block = blocks.popLast() else { return }
        blocks.append(
            Block(holds: !block.isSettled && value != false, isSettled: block.isSettled || value == true))
    }

    /// The value of a condition; nil where it cannot be told.
    private static func value(_ condition: Substring) -> Bool? {
        let text = condition.split(separator: "//", maxSplits: 1).first.map { String($0.filter { $0 != " " }) } ?? ""
        let (either, both) = (text.split(separator: "||"), text.split(separator: "&&"))
        guard either.count == 1 || both.count == 1 else { return nil }
        if either.count > 1 { return one(of: either.map(term), is: true) }
        return one(of: both.map(term), is: false)
    }

    /// The value where a term has it, its opposite where all have that.
    private static func one(of terms: [Bool?], is value: Bool) -> Bool? {
        if terms.contains(value) { return value }
        return terms.contains(nil) ? nil : !value
    }

    private static func term(_ text: Substring) -> Bool? {
        if text.hasPrefix("!") { return term(text.dropFirst()).map(!) }
        let parts = text.split { $0 == "(" || $0 == ")" }
        guard parts.count == 2 else { return nil }
        switch parts[0] {
        case "os": return parts[1] == "Linux"
        case "targetEnvironment": return false
        case "canImport":
            return here.contains(String(parts[1])) ? true : elsewhere.contains(String(parts[1])) ? false : nil
        default: return nil
        }
    }

    private static let here: Set = [
        "Security", "LocalAuthentication", "CoreFoundation", "Foundation", "FoundationNetworking", "Glibc", "Dispatch",
    ]
    private static let elsewhere: Set = [
        "ObjectiveC", "Darwin", "UIKit", "AppKit", "SwiftUI", "Combine", "CryptoKit", "os", "WatchKit", "CoreGraphics",
    ]
}
