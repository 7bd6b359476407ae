import KeychainClient
import KeychainModel
import KeychainWire
import LinuxSystem
import SecurityCommands

/// A keychain in memory that was there before the system service.
final class StandInOlderStore: OlderKeychain {
    let keychain = StandInKeychain()
    private let state = Lock((isMade: true, isEmptied: false))

    var folder: String { "/home/ada/.local/share/keychain" }
    var isMade: Bool { state.withLock { $0.isMade } }
    var isThere: Bool { state.withLock { $0.isMade && !$0.isEmptied } }

    func reach() -> any KeychainConnection { keychain }
    func note(isEmptied: Bool) { state.withLock { $0.isEmptied = isEmptied } }
    func remove() { state.withLock { $0.isMade = false } }
}

/// Item requests for programs, as a daemon performs them.
extension StandInKeychain {
    static func work(_ work: ProgramWork, _ state: inout State) throws(Refusal) -> AccessReply {
        guard work.group.hasPrefix("program:") else { throw .malformed("the group") }
        var answers: [ProgramAnswer] = []
        for request in try work.requests() { answers.append(ProgramAnswer(answer(request, of: work.group, &state))) }
        return .worked(answers)
    }

    private static func answer(
        _ request: ItemRequest, of group: String, _ state: inout State
    ) -> (status: Int32, body: SecretBytes) {
        let writer = ResponseWriter()
        do throws(Refusal) {
            try request.check()
            let found = try perform(request, as: group, &state)
            writer.begin(id: 0)
            for item in found.items {
                writer.beginItem(item.itemClass)
                item.attributes.append(to: writer.buffer)
                writer.endItem()
            }
            writer.end(cursor: found.cursor)
        } catch { writer.refuse(error, id: 0) }
        return writer.complete()
    }
}
