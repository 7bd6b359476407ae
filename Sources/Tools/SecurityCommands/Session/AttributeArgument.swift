package import CommandOptions
package import KeychainModel
import LinuxSystem

extension Argument {
    /// The word as an attribute's value: text, or data when it is not UTF-8, so that nothing is lost.
    package var attribute: RawValue { bytes.withSpan { $0.text(0, $0.count) }.map { .string($0) } ?? .data(array) }
}

extension ArgumentParser {
    /// Reads the words behind a command's name.
    ///
    /// - Throws: ``CommandFailure/usage(_:)`` for an option that does not exist or lacks its value.
    static func parse(_ words: [Argument], for command: Command) throws(CommandFailure) -> ParsedArguments {
        do throws(WrongCommandLine) {
            return try parse(words, options: command.hasOptions ? command.options : nil)
        } catch { throw CommandFailure(error) }
    }
}
