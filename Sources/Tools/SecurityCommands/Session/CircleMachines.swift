import KeychainClient
import KeychainModel
import KeychainWire
import SyncFormat

/// The machines of the circle, one of which has written a version.
struct CircleMachines {
    let status: SyncStatus?

    /// - Parameter status: of the circle; nil where there is none, or it was left since.
    init(_ status: SyncStatus?) { self.status = status }

    /// In quotation marks where it is a name: a machine names itself. Where others have that name, the beginning of its
    /// identifier follows, which the command takes as well.
    func name(_ machine: [UInt8]) -> String {
        let id = MemberID(machine)
        let name = plainName(id)
        guard !name.isEmpty else { return id.text }
        let isShared = status?.machines.contains { $0.name == name && $0.id != id } ?? false
        return isShared ? "\(name.quoted) (\(id.text.prefix(8)))" : name.quoted
    }

    /// The identifier, the name, which is empty where it is not known, and when it has written something.
    func json(of machine: [UInt8], written: String? = nil) -> JSONValue {
        let id = MemberID(machine)
        let who: [(key: String, value: JSONValue)] = [("id", .string(id.text)), ("name", .string(plainName(id)))]
        return .object(who + (written.map { [("written", .string($0))] } ?? []))
    }

    /// The machine whose change has ended a version; nil for this one.
    func other(_ lost: LostVersion?) -> [UInt8]? { lost?.winner == status?.me.bytes ? nil : lost?.winner }

    private func plainName(_ id: MemberID) -> String { status?.machines.first { $0.id == id }?.name ?? "" }
}

extension Session {
    /// The circle; nil where the keychain belongs to none.
    func circle(_ call: String) throws(CommandFailure) -> SyncStatus? {
        do throws(CommandFailure) {
            guard case .sync(let reply) = try device(.sync(.status), call), case .status(let status) = reply else {
                throw .unexpectedCircleReply
            }
            return status
        } catch {
            guard error.isNoCircle else { throw error }
            return nil
        }
    }
}

extension CommandFailure {
    /// Whether the keychain belongs to no circle, as its daemon says.
    var isNoCircle: Bool { if case .refused(_, let refusal) = self { refusal.rule == .noCircle } else { false } }

    static let unexpectedCircleReply = refused(call: "sync", .malformed("the answer about the circle"))
}
