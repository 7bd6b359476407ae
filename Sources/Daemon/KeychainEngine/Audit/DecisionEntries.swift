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
    /// The log's name for a request that changes something or speaks for others. Requests that only look are not
    /// recorded.
    var logged: StaticString? {
        switch self {
        case .status, .verify, .details, .watch, .watchGroups, .identity, .examine, .release, .lastUnlock: nil
        case .lock: "lock"
        case .unlock, .unlockWith: "unlock"
        case .setPasscode, .replacePasscode: "set password"
        case .removePasscode, .removePasscodeAndFiles: "remove password"
        case .moveToTPM, .moveToSoftware: "move enclave"
        case .addSlot: "add unlock slot"
        case .removeSlot: "remove unlock slot"
        case .changeSettings: "change settings"
        case .acceptStore: "accept store"
        case .setFileRecovery: "set recovery recipients"
        case .snapshot: "snapshot"
        case .access(let request): request.logged
        case .backup(.begin): "backup"
        case .backup(.open): "open backup"
        case .backup: nil
        case .sync(.pause): "pause synchronisation"
        case .sync: nil
        }
    }

    /// The group it is about.
    var group: String? {
        switch self {
        case .access(.move(let move)): move.from
        case .access(.setPolicy(_, let group)): group
        default: nil
        }
    }
}

extension AccessRequest {
    fileprivate var logged: StaticString? {
        switch self {
        case .gather: "gather items"
        // Each of its item requests is noted by itself.
        case .decisions, .orphans, .work, .keepRows, .row, .others, .changes, .use: nil
        case .why, .whyFile: "why"
        case .move(let move): move.isRename ? "rename group" : "move items"
        case .setPolicy: "set group policy"
        case .uninstalled: "uninstalled"
        }
    }
}
