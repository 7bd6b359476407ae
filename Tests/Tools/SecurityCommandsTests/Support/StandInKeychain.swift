import Glibc
import KeychainClient
import KeychainModel
import KeychainWire
import LinuxSystem

/// A keychain in memory with the rules of requests and the encoding of frames of the real one, and no encryption.
final class StandInKeychain: KeychainConnection {
    struct Item {
        var itemClass: ItemClass
        var attributes: [AttributeID: AttributeValue]
        var value: [UInt8]?
        let uuid: [UInt8]
    }

    struct State {
        var items: [Item] = []
        /// Items as they were before they were changed or deleted.
        var versions: [Item] = []
        var requests: [ItemRequest] = []
        var devices: [DeviceRequest] = []
        var passcode: [UInt8]?
        /// Shelves of files that go with the passcode.
        var passcodeShelves = 0
        var isOnTPM = false
        var isLocked = false
        var (failedAttempts, retryAfter): (UInt32, UInt32) = (0, 0)
        var age = KeychainAge.current
        var settings = DeviceSettings()
        var slots: [UnlockSlot] = []
        var recoveryCode: [UInt8] = Array("CODE".utf8)
        var caller = StandInKeychain.caller
        /// The caller's group.
        var group = StandInKeychain.ownGroup
        var deployment = "user daemon"
        /// The ways to ask the user.
        var agent: AgentReport?
        /// Which release it says to be of; nil for one that does not know the question.
        var release: Release? = Release(since: 1_800_000_000)
        /// When the last backup was made; nil for one that does not know the question.
        var backups: BackupDates?
        /// Where the keychain stands in its circle of machines; nil where it belongs to none.
        var circle: SyncStatus?
        var circleChanges: [CircleChange] = []
        /// Where it stands after the next change; nil for as before.
        var circleAfterwards: SyncStatus?
        /// Why that cannot be said.
        var circleRefusal: Refusal?
        /// Moves with every change that a watcher is to hear of.
        var epoch: UInt32 = 1
        var pageSize = Int.max
        /// The protection classes whose items do not open.
        var sealed: Set<String> = []
        /// The refusal of every item request, when there is one.
        var refusal: Refusal?
        /// The results of a verification: all rows on its first page, the file on the second.
        var report = VerificationReport()
        /// The rows that the command has shown.
        var rows: [ListedRow] = []
        var hasTerminal = true
        /// Answers what is asked about access.
        var access: @Sendable (AccessRequest, [[UInt8]]) throws(Refusal) -> AccessReply = { _, _ throws(Refusal) in
            throw .malformed("a request that the test does not know")
        }
        /// Runs before a request about the device or access is performed.
        var beforeDevice: @Sendable (DeviceRequest) -> Void = { _ in }
    }

    /// The identity that the stand-in gives the command, and every program file.
    static let caller = CallerReport(
        user: 1000, process: 42, program: "/usr/bin/security", source: "unsigned", detail: "", isAnchored: false,
        mayInspectAllGroups: true, groups: [ownGroup])
    static let entitled = CallerReport(
        user: 1000, process: 0, program: "org.example.app", source: "signed", detail: "TEAM", isAnchored: true,
        mayInspectAllGroups: false, groups: ["TEAM.shared", "TEAM.org.example.app"])
    static let ownGroup = "program:/usr/bin/security"
    /// 2019-01-02 03:04:05.678 UTC.
    static let date = 568_091_045.678
    private let state = Lock(State())

    func update<Result: Sendable>(_ body: (inout sending State) -> sending Result) -> sending Result {
        state.withLock { body(&$0) }
    }

    func send(_ request: ItemRequest) throws(Refusal) -> ItemResponse {
        let frame = SecretBuffer()
        request.append(to: frame)
        let received = try ItemRequest(decoding: frame.copy())
        try received.check()
        let outcome: Result<ItemResponse, Refusal> = state.withLock { state in
            state.requests.append(received)
            return Result { () throws(Refusal) in try Self.perform(received, &state) }
        }
        return try outcome.get()
    }

    func device(_ request: DeviceRequest, passcodes: [FileDescriptor]) throws(Refusal) -> DeviceReply {
        precondition(request.descriptors.contains(passcodes.count), "the client sends what the request needs")
        let given = passcodes.map(Self.read)
        if case .addSlot(.recovery, _) = request {
            let code = update { $0.recoveryCode }
            try? PasscodeFile.fill(passcodes[1], with: SecretBytes(copying: code.span))
        }
        let beforeDevice = update { state in
            state.devices.append(request)
            return state.beforeDevice
        }
        beforeDevice(request)
        let outcome: Result<DeviceReply, Refusal> = state.withLock { state in
            Result { () throws(Refusal) in try Self.perform(request, given, &state) }
        }
        return try outcome.get()
    }
}

// MARK: - Keys

extension StandInKeychain {
    func key(_ request: KeyRequest) throws(Refusal) -> KeyReply {
        throw Self.noEnclave
    }

    func authentication(
        _ request: AuthenticationRequest, descriptors: [FileDescriptor]
    ) throws(Refusal) -> AuthenticationReply {
        guard case .circle(let change, _) = request else { throw Self.noEnclave }
        return try state.withLock { (state) throws(Refusal) in .circle(try Self.perform(change, &state)) }
    }

    private static let noEnclave = Refusal(
        .unimplemented, .notImplemented, "key", "The stand-in has no enclave.", do: "Use the real one.")
}

// MARK: - Items

extension StandInKeychain {
    /// Performs what a program of a group asks for.
    static func perform(
        _ request: ItemRequest, as group: String, _ state: inout State
    ) throws(Refusal) -> ItemResponse {
        let own = state.group
        defer { state.group = own }
        state.group = group
        return try perform(request, &state)
    }

    private static func perform(_ request: ItemRequest, _ state: inout State) throws(Refusal) -> ItemResponse {
        if let refusal = state.refusal { throw refusal }
        if state.isLocked { throw locked }
        switch request.operation {
        case .add:
            try add(request, &state)
            return try response([], request, cursor: 0)
        case .copyMatching: return try search(request, state)
        case .update, .delete:
            let matches = state.items.indices.filter { isMatch(state.items[$0], request, state.group) }
            guard !matches.isEmpty else { throw notFound }
            for index in matches.reversed() {
                if !request.leavesNoHistory {
                    keep(state.items[index], request.operation == .delete ? .deleted : .changed, &state)
                }
                if request.operation == .delete {
                    state.items.remove(at: index)
                } else {
                    try change(index, request, &state)
                }
            }
            return try response([], request, cursor: 0)
        case .history, .restore, .forget: return try performOnVersions(request, &state)
        }
    }

    /// Each version ends a second after the one before.
    private static func keep(_ item: Item, _ end: VersionEnd, _ state: inout State) {
        var version = item
        version.attributes[.versionEnded] = .date(date + Double(state.versions.count + 1))
        version.attributes[.versionEnd] = .number(Int64(end.rawValue))
        state.versions.append(version)
    }

    private static func performOnVersions(
        _ request: ItemRequest, _ state: inout State
    ) throws(Refusal) -> ItemResponse {
        let matches = state.versions.filter { isMatch($0, request, state.group) }
        guard let last = matches.last else { throw notFound }
        switch request.operation {
        case .history: return try response(matches, request, cursor: 0)
        case .forget: state.versions.removeAll { version in matches.contains { $0.uuid == version.uuid } }
        case _ where request.lostVersion != nil:
            let found = matches.first { number(of: $0) == request.lostVersion }
            guard let found, let index = state.items.firstIndex(where: { $0.uuid == found.uuid }) else {
                throw notFound
            }
            state.items[index].value = found.value
        case _ where request.moment == nil:
            state.items.append(last)
            return try response([last], request, cursor: 0)
        default:
            let found = matches.first { $0.attributes[.versionEnded].map { $0.seconds > request.moment ?? 0 } ?? false }
            guard let found, let index = state.items.firstIndex(where: { $0.uuid == found.uuid }) else {
                throw notFound
            }
            state.items[index] = found
        }
        return try response([], request, cursor: 0)
    }

    private static func number(of version: Item) -> Int64? {
        version.attributes[.lostVersion]?.bytes.prefix(8).reversed().reduce(0) { $0 << 8 | Int64($1) }
    }

    private static func add(_ request: ItemRequest, _ state: inout State) throws(Refusal) {
        guard let itemClass = request.itemClass else { throw notFound }
        var attributes = values(request.query)
        attributes[.accessGroup] = .string(state.group)
        attributes[.creationDate] = .date(date)
        attributes[.modificationDate] = .date(date)
        let uuid = (0..<16).map { UInt8($0 + state.items.count) }
        let item = Item(itemClass: itemClass, attributes: attributes, value: value(request.query), uuid: uuid)
        guard !state.items.contains(where: { key($0) == key(item) }) else {
            throw duplicate
        }
        state.items.append(item)
    }

    private static func key(_ item: Item) -> [AttributeValue?] {
        [.string(item.itemClass.code)] + AttributeTable.primaryKey(of: item.itemClass).map { compared(item, $0.id) }
    }

    /// The value of an item's attribute, given or by default.
    private static func compared(_ item: Item, _ id: AttributeID) -> AttributeValue? {
        item.attributes[id] ?? AttributeTable.attribute(id: id)?.defaultValue
    }

    private static func change(_ index: Int, _ request: ItemRequest, _ state: inout State) throws(Refusal) {
        var item = state.items[index]
        item.attributes.merge(values(request.changes)) { $1 }
        if let value = value(request.changes) { item.value = value }
        let others = state.items.enumerated().filter { $0.offset != index }.map(\.element)
        guard !others.contains(where: { key($0) == key(item) }) else { throw duplicate }
        state.items[index] = item
    }

    private static let duplicate = Refusal(
        .duplicateItem, .duplicate, "acct", "There is such an item.", do: "Update it.")

    private static func search(_ request: ItemRequest, _ state: State) throws(Refusal) -> ItemResponse {
        let matches = state.items.filter { isMatch($0, request, state.group) }
        guard !matches.isEmpty else { throw notFound }
        let classes = matches.compactMap { $0.attributes[.accessible]?.string }
        guard state.sealed.isDisjoint(with: classes) else { throw locked }
        let start = Int(request.cursor)
        let wanted = request.limit == .one ? 1 : state.pageSize
        let end = min(matches.count, start.addingReportingOverflow(wanted).overflow ? matches.count : start + wanted)
        let isComplete = request.limit == .one || end == matches.count
        return try response(Array(matches[start..<end]), request, cursor: isComplete ? 0 : UInt64(end))
    }

    private static func isMatch(_ item: Item, _ request: ItemRequest, _ group: String) -> Bool {
        let isVisible = request.inspectsAllGroups || item.attributes[.accessGroup] == .string(group)
        if let reference = request.persistentReference {
            return isVisible && reference.itemClass == item.itemClass && reference.item == .uuid(item.uuid)
        }
        let wanted = values(request.query)
        return isVisible && item.itemClass == request.itemClass
            && (wanted[.synchronizable] == .string("syna") || item.attributes[.synchronizable] == nil)
            && wanted.allSatisfy { $0.key == .synchronizable || compared(item, $0.key) == $0.value }
    }

    private static func values(_ list: AttributeList) -> [AttributeID: AttributeValue] {
        var values: [AttributeID: AttributeValue] = [:]
        for entry in list.entries where entry.id != .valueData { values[entry.id] = list.value(entry) }
        return values
    }

    private static func value(_ list: AttributeList) -> [UInt8]? { list[.valueData]?.bytes }

    private static func response(
        _ items: [Item], _ request: ItemRequest, cursor: UInt64
    ) throws(Refusal) -> ItemResponse {
        let writer = ResponseWriter()
        writer.begin(id: 1)
        for item in items {
            writer.beginItem(item.itemClass)
            if request.returns.contains(.attributes) {
                for (id, value) in item.attributes { writer.buffer.append(id, value) }
            }
            if request.returns.contains(.data), let value = item.value {
                writer.buffer.append(.valueData, .data(value))
            }
            if request.returns.contains(.persistentReference) {
                let reference = PersistentReference(item.itemClass, uuid: item.uuid).bytes ?? []
                writer.buffer.append(.persistentReference, .data(reference))
            }
            writer.endItem()
        }
        writer.end(cursor: cursor)
        return try ItemResponse(status: 0, body: writer.buffer.copy(from: FrameHeader.size))
    }
}

extension AttributeValue {
    fileprivate var seconds: Double { if case .date(let seconds) = self { seconds } else { 0 } }
}
