package import KeychainModel
package import LinuxSystem

/// Limits of the texts that a caller may show to a user or give to a prompt program, each with its reason.
package enum PromptLimits {
    /// A few lines, which is as much as anybody reads.
    package static let reasonBytes = 1024
    /// The inscription of a button.
    package static let titleBytes = 256
    /// The names of a few items.
    package static let itemBytes = 1024
    /// A path, and the longest path of a program.
    package static let terminalBytes = 256
    package static let programBytes = KeyLimits.groupBytes
    /// The value of an environment variable: a bus address may have several ways in it.
    package static let variableBytes = 1024
}

/// A prompt within a message.
///
///     prompt       = interaction:u8 titles:u8 reason:text [fallback:text] [cancel:text] program:text item:text
///                    surroundings
///     surroundings = terminal:text count:u8 *(variable:u8 value:text)
///
/// `count` bit 7 says that the terminal itself is attached, as the last descriptor of the message. `titles` bit 0 says
/// that there is a fallback title, bit 1 a title of cancelling. A variable is named by its place in
/// ``PromptEnvironment/variables``, so that no other can be named; each comes once.
extension Prompt {
    /// Appends the prompt to a message under construction; texts over their limits are cut.
    package func append(to buffer: SecretBuffer) {
        buffer.append(interaction.rawValue)
        buffer.append((fallbackTitle == nil ? 0 : 1) | (cancelTitle == nil ? 0 : 2))
        buffer.append(text: reason.cut(to: PromptLimits.reasonBytes))
        for title in [fallbackTitle, cancelTitle] {
            if let title { buffer.append(text: title.cut(to: PromptLimits.titleBytes)) }
        }
        buffer.append(text: program.cut(to: PromptLimits.programBytes))
        buffer.append(text: item.cut(to: PromptLimits.itemBytes))
        surroundings.append(to: buffer)
    }

    /// Reads a prompt that a peer wrote.
    ///
    /// - Throws: `errSecParam` (`wire.malformed`) when it cannot be read or a text is over its limit.
    package init(from reader: inout WireReader) throws(Refusal) {
        guard let interaction = Interaction(rawValue: try reader.integer(UInt8.self)) else {
            throw .malformed("the prompt's interaction")
        }
        let titles = try reader.integer(UInt8.self)
        guard titles < 4 else { throw .malformed("the prompt's titles") }
        let reason = try reader.text(atMost: PromptLimits.reasonBytes)
        let fallback = titles & 1 == 0 ? nil : try reader.text(atMost: PromptLimits.titleBytes)
        let cancel = titles & 2 == 0 ? nil : try reader.text(atMost: PromptLimits.titleBytes)
        let program = try reader.text(atMost: PromptLimits.programBytes)
        let item = try reader.text(atMost: PromptLimits.itemBytes)
        self.init(
            interaction: interaction, reason: reason, fallbackTitle: fallback, cancelTitle: cancel,
            surroundings: try PromptEnvironment(from: &reader))
        (self.program, self.item) = (program, item)
    }
}

extension PromptEnvironment {
    fileprivate func append(to buffer: SecretBuffer) {
        // Half a path, or half a value, would be another one.
        buffer.append(text: terminal.utf8.count <= PromptLimits.terminalBytes ? terminal : "")
        let known = Self.variables.enumerated().compactMap { index, name in
            environment[name].flatMap { $0.utf8.count <= PromptLimits.variableBytes ? (UInt8(index), $0) : nil }
        }
        buffer.append(UInt8(known.count) | (opened == nil ? 0 : Self.openedFlag))
        for (index, value) in known {
            buffer.append(index)
            buffer.append(text: value)
        }
    }

    /// A bit in the number of variables: the terminal is attached to the message.
    private static let openedFlag: UInt8 = 0x80

    fileprivate init(from reader: inout WireReader) throws(Refusal) {
        self.init(terminal: try reader.text(atMost: PromptLimits.terminalBytes))
        let head = try reader.integer(UInt8.self)
        comesOpened = head & Self.openedFlag != 0
        for _ in 0..<(head & ~Self.openedFlag) {
            let index = Int(try reader.integer(UInt8.self))
            guard Self.variables.indices.contains(index), environment[Self.variables[index]] == nil else {
                throw .malformed("a variable of the prompt")
            }
            environment[Self.variables[index]] = try reader.text(atMost: PromptLimits.variableBytes)
        }
    }
}

extension String {
    /// As much of the beginning as fits into so many bytes, in whole characters.
    package func cut(to bytes: Int) -> String {
        guard utf8.count > bytes else { return self }
        var end = startIndex
        var used = 0
        while end < endIndex, used + self[end].utf8.count <= bytes {
            used += self[end].utf8.count
            formIndex(after: &end)
        }
        return String(self[..<end])
    }
}

extension WireReader {
    /// A text with its length before it, of at most so many bytes.
    ///
    /// - Throws: `errSecParam` (`wire.malformed`).
    package mutating func text(atMost limit: Int) throws(Refusal) -> String {
        let text = try text()
        guard text.utf8.count <= limit else { throw .malformed("a text's length") }
        return text
    }
}
