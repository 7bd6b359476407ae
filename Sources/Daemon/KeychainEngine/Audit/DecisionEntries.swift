import KeychainModel
import KeychainPolicy
import KeychainWire

extension AuditLog.Entry {
    init(_ caller: CallerIdentity, _ request: borrowing ItemRequest) {
        let operation: StaticString =
            switch request.operation {
            case .add: "SecItemAdd"
            case .copyMatching: "SecItemCopyMatching"
            case .update: "SecItemUpdate"
            case .delete: "SecItemDelete"
            case .history: "history"
            case .restore: "restore"
            case .forget: "forget history"
            }
        self.init(caller, operation, request.effectiveClass)
    }

    init(_ caller: CallerIdentity, _ request: KeyRequest) {
        switch request {
        case .make(let binding):
            self.init(caller, "make key", .key, named: binding.group.isEmpty ? nil : binding.group)
        case .use(let key, _): self.init(caller, "use key", .key, named: key.binding.group)
        case .file(let request): self.init(caller, request.logged)
        }
    }

    /// The request was refused; which group it named is known from itself alone.
    mutating func end(in refusal: Refusal, _ request: ItemRequest) {
        end(in: refusal)
        if scope == nil { name(request.query[.accessGroup]?.string) }
    }
}

extension FileRequest {
    fileprivate var logged: StaticString {
        switch self {
        case .make: "make file"
        case .open: "open file"
        case .rewrap: "move file"
        case .shelves: "list shelves"
        case .deleteShelf: "delete shelf"
        }
    }
}

extension DeviceRequest {
    /// The group it is about.
    var group: String? {
        switch self {
        case .access(.move(let move)): move.from
        case .access(.setPolicy(_, let group)): group
        default: nil
        }
    }
}
