package import KeychainModel
package import LinuxSystem

/// A caller's questions about access: why a search ends as it does, the decisions, the groups and their owners.
///
///     request = 1:u8 after:u64                                    ; decisions
///             | 2:u8 program:text query:bytes                     ; why; the query is the body of an item request
///             | 3:u8 move                                         ; move items
///             | 4:u8                                              ; orphans
///             | 5:u8 policy:u8 group:text                         ; what becomes of a group without programs
///             | 6:u8 count:u16 *program:text                      ; programs were removed
///             | 7:u8 work                                         ; item requests for a program
///             | 8:u8 count:u16 *row                               ; the rows of a list that was shown
///             | 9:u8 number:u32                                   ; one of them
///             | 10:u8                                             ; whether others have items
///             | 11:u8 after:u64                                   ; items that have changed
///             | 12:u8                                             ; gather what bridges have stored
///             | 13:u8                                             ; whether anything was ever stored
///             | 14:u8 program:text file                           ; why a protected file does not open
package enum AccessRequest: Equatable, Sendable {
    /// The decisions after the entry with this number.
    case decisions(after: UInt64)
    /// Why a search ends as it does; for another program than the caller when one is named.
    case why(program: String, query: [UInt8])
    /// With a descriptor, the passcode, where the caller does not have both groups.
    case move(GroupMove)
    case orphans
    case setPolicy(GroupPolicy, group: String)
    case uninstalled([String])
    /// With a descriptor, the passcode, where the keychain's own command needs it.
    case work(ProgramWork)
    /// The rows of the list that the keychain's own command has shown at its terminal.
    case keepRows([ListedRow])
    /// → ``AccessReply/row(_:)``: the row with this number, counted from 1, of the last list at the caller's terminal.
    case row(UInt32)
    /// Whether there are items of groups that the caller does not have, also while the keychain is locked.
    case others
    /// → ``AccessReply/changes(_:)``: the items that have changed since the page with this number, for the keychain's
    /// own command. The largest number asks where to begin.
    case changes(after: UInt64)
    /// → ``AccessReply/moved(_:)``: gives what bridges to the desktop have stored as programs of their paths to the
    /// group that they have wherever they are.
    case gather
    /// → ``AccessReply/used(_:)``: whether anything was ever stored, also while the keychain is locked.
    case use

    /// → ``AccessReply/fileExplanation(_:)``: why a protected file does not open; for another program than the caller
    /// when one is named.
    case whyFile(program: String, FileToExplain)

    /// How many programs one request names.
    package static let mostPrograms = 256

    private enum Code: UInt8 {
        case decisions = 1
        case why = 2
        case move = 3
        case orphans = 4
        case setPolicy = 5
        case uninstalled = 6
        case work = 7
        case keepRows = 8
        case row = 9
        case others = 10
        case changes = 11
        case gather = 12
        case use = 13
        case whyFile = 14
    }

    private var code: Code {
        switch self {
        case .decisions: .decisions
        case .why: .why
        case .move: .move
        case .orphans: .orphans
        case .setPolicy: .setPolicy
        case .uninstalled: .uninstalled
        case .work: .work
        case .keepRows: .keepRows
        case .row: .row
        case .others: .others
        case .changes: .changes
        case .gather: .gather
        case .use: .use
        case .whyFile: .whyFile
        }
    }

    func append(to buffer: SecretBuffer) {
        buffer.append(code.rawValue)
        switch self {
        case .decisions(let number), .changes(let number): buffer.append(littleEndian: number)
        case .why(let program, let query):
            buffer.append(text: program)
            buffer.append(bytes: query.span)
        case .move(let move): move.append(to: buffer)
        case .setPolicy(let policy, let group):
            buffer.append(policy.rawValue)
            buffer.append(text: group)
        case .uninstalled(let programs): buffer.append(texts: programs)
        case .work(let work): work.append(to: buffer)
        case .keepRows(let rows):
            buffer.append(littleEndian: UInt16(truncatingIfNeeded: rows.count))
            for row in rows { row.append(to: buffer) }
        case .row(let number): buffer.append(littleEndian: number)
        case .whyFile(let program, let file):
            buffer.append(text: program)
            file.append(to: buffer)
        case .orphans, .others, .gather, .use: break
        }
    }

    init(from reader: inout WireReader) throws(Refusal) {
        switch Code(rawValue: try reader.integer(UInt8.self)) {
        case .decisions: self = .decisions(after: try reader.integer(UInt64.self))
        case .why: self = .why(program: try reader.name(), query: try reader.bytes(atMost: WireLimits.requestBody))
        case .move: self = .move(try GroupMove(from: &reader))
        case .orphans: self = .orphans
        case .setPolicy: self = .setPolicy(try GroupPolicy(from: &reader), group: try reader.name())
        case .uninstalled: self = .uninstalled(try reader.texts(atMost: Self.mostPrograms))
        case .work: self = .work(try ProgramWork(from: &reader))
        case .keepRows: self = .keepRows(try ListedRow.list(from: &reader))
        case .row: self = .row(try reader.integer(UInt32.self))
        case .others: self = .others
        case .changes: self = .changes(after: try reader.integer(UInt64.self))
        case .gather: self = .gather
        case .use: self = .use
        case .whyFile: self = .whyFile(program: try reader.name(), try FileToExplain(from: &reader))
        case nil: throw .malformed("the access request")
        }
    }
}

/// The answer to an ``AccessRequest``.
package enum AccessReply: Equatable, Sendable {
    case decisions(DecisionPage)
    case explanation(Explanation)
    case fileExplanation(FileExplanation)
    case moved(MoveReport)
    case orphans([OrphanGroup])
    case done
    /// How many items went with their programs.
    case purged(UInt64)
    /// As many as there were requests, in their order.
    case worked([ProgramAnswer])
    case row(ListedRow)
    /// Whether there are such items.
    case others(Bool)
    case changes(ChangePage)
    /// Whether anything was ever stored.
    case used(Bool)

    package func append(to buffer: SecretBuffer) {
        switch self {
        case .decisions(let page): page.append(to: buffer)
        case .explanation(let explanation): explanation.append(to: buffer)
        case .fileExplanation(let explanation): explanation.append(to: buffer)
        case .moved(let report): report.append(to: buffer)
        case .orphans(let groups):
            buffer.append(littleEndian: UInt32(truncatingIfNeeded: groups.count))
            for group in groups { group.append(to: buffer) }
        case .purged(let count): buffer.append(littleEndian: count)
        case .worked(let answers):
            buffer.append(UInt8(truncatingIfNeeded: answers.count))
            for answer in answers { answer.append(to: buffer) }
        case .row(let row): row.append(to: buffer)
        case .others(let isTrue), .used(let isTrue): buffer.append(isTrue ? 1 : 0)
        case .changes(let page): page.append(to: buffer)
        case .done: break
        }
    }

    /// Reads the answer to a request.
    ///
    /// - Throws: `errSecParam` (`wire.malformed`) when it cannot be read.
    package init(to request: AccessRequest, from reader: inout WireReader) throws(Refusal) {
        switch request {
        case .decisions: self = .decisions(try DecisionPage(from: &reader))
        case .why: self = .explanation(try Explanation(from: &reader))
        case .whyFile: self = .fileExplanation(try FileExplanation(from: &reader))
        case .move, .gather: self = .moved(try MoveReport(from: &reader))
        case .orphans:
            var groups: [OrphanGroup] = []
            for _ in 0..<(try reader.integer(UInt32.self)) { groups.append(try OrphanGroup(from: &reader)) }
            self = .orphans(groups)
        case .setPolicy, .keepRows: self = .done
        case .row: self = .row(try ListedRow(from: &reader))
        case .uninstalled: self = .purged(try reader.integer(UInt64.self))
        case .work:
            var answers: [ProgramAnswer] = []
            for _ in 0..<(try reader.integer(UInt8.self)) { answers.append(try ProgramAnswer(from: &reader)) }
            self = .worked(answers)
        case .others: self = .others(try reader.integer(UInt8.self) != 0)
        case .changes: self = .changes(try ChangePage(from: &reader))
        case .use: self = .used(try reader.integer(UInt8.self) != 0)
        }
    }
}
