import CommandOptions
import FileAccess
import KeychainModel
import KeychainWire
import SecurityCommands

/// The task of a verb: its options and its files.
struct FileTask {
    let arguments: ParsedArguments
    let operands: [String]
    let session: Session

    init(_ arguments: ParsedArguments, _ operands: [String], _ session: Session) {
        (self.arguments, self.operands, self.session) = (arguments, operands, session)
    }

    /// The keychain's name in the messages of refusals.
    static let call = "file"

    func keychain() throws(CommandFailure) -> FileKeychain {
        do throws(Refusal) { return FileKeychain(try session.connection()) } catch {
            throw .refused(call: Self.call, error)
        }
    }

    /// Runs something for one file, whose name stands in front of what fails.
    func working<Result>(on name: String, _ body: () throws(Refusal) -> Result) throws(CommandFailure) -> Result {
        do throws(Refusal) { return try body() } catch { throw .refused(call: name, error) }
    }

    /// Where new files go.
    func place() throws(CommandFailure) -> ShelfPlace {
        let letter = arguments.value("c")?.text ?? "c"
        let protections: [String: FileProtection] = [
            "a": .complete, "b": .completeUnlessOpen, "c": .completeUntilFirstUserAuthentication, "d": .none,
        ]
        guard let protection = protections[letter.lowercased()] else { throw .usage("the class is a, b, c or d") }
        let name = arguments.value("s")?.text ?? ""
        guard name.utf8.count <= ShelfPlace.nameBytes else { throw .usage("the name of the shelf is too long") }
        let isThisDevice = arguments.has("D")
        let classes = protection.accessibilities.filter { $0.isThisDeviceOnly == isThisDevice }
        guard let accessibility = classes.first else { throw .usage(nil) }
        let binding = KeyBinding(
            group: arguments.value("g")?.text ?? "", accessibility: accessibility, control: try control())
        return ShelfPlace(protection, binding, name: name)
    }

    /// The authentication that the files require, as bits of an access control.
    private func control() throws(CommandFailure) -> UInt64 {
        switch arguments.value("u")?.text {
        case nil: return 0
        case "presence": return AccessConstraint.Demand.userPresence.rawValue
        case "password": return AccessConstraint.applicationPassword
        default: throw .usage("the demand is presence or password")
        }
    }

    /// The bytes of a file's content that are asked for; nil for all.
    func range() throws(CommandFailure) -> Range<UInt64>? {
        guard let text = arguments.value("r")?.text else { return nil }
        let ends = text.split(separator: "-", omittingEmptySubsequences: false)
        let last = ends.count == 2 && ends[1].isEmpty ? UInt64.max - 1 : ends.last.flatMap { UInt64($0) }
        guard ends.count == 2, let first = UInt64(ends[0]), let last, first <= last, last < .max else {
            throw .usage("a range is two numbers, such as 0-99, or one, such as 100-")
        }
        return first..<last + 1
    }
}
