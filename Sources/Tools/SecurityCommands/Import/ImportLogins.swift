import CommandOptions
import Glibc
import KeychainModel
import KeychainWire
import LinuxSystem

/// `import-from csv`: adds the logins of a table that a browser or another program for passwords has exported.
///
/// The whole file is read before anything is added. What the keychain has already is left out, so an import that was
/// cut goes on when it is repeated.
struct ImportLogins {
    private let session: Session
    private let isTrial, replaces: Bool
    private var logins: [ImportedLogin] = []
    private var report = LoginReport()

    private static let call = "import-from"
    /// So many bytes a file may have: some 50,000 logins.
    private static let limit = 8 << 20

    /// - Parameters:
    ///   - isTrial: nothing is added.
    ///   - replaces: what the keychain has with another password gets that of the file.
    static func run(_ path: Argument, isTrial: Bool, replaces: Bool, _ session: Session) throws(CommandFailure) {
        var work = ImportLogins(session: session, isTrial: isTrial, replaces: replaces)
        try work.read(path)
        try work.add()
        work.report.write(to: session, isTrial: isTrial)
        if !isTrial { session.explain("\(path.text) still holds every password in plain text: delete it.") }
        guard work.report.isComplete else { throw .shown }
    }

    private init(session: Session, isTrial: Bool, replaces: Bool) {
        (self.session, self.isTrial, self.replaces) = (session, isTrial, replaces)
    }

    private mutating func read(_ path: Argument) throws(CommandFailure) {
        let content = try content(path)
        var columns: LoginColumns?
        try content.withSpan { (bytes) throws(CommandFailure) in
            try CommaTable.read(bytes) { row, line throws(CommandFailure) in
                guard let columns else { return columns = try LoginColumns(row) }
                try take(columns, row, line)
            }
        }
        guard columns != nil else { throw .unreadable(path, "The file is empty.") }
    }

    private mutating func take(_ columns: LoginColumns, _ row: [SecretBytes], _ line: Int) throws(CommandFailure) {
        let login = try columns.login(row, line: line)
        guard login.isWhole else { return report.empty += 1 }
        for column in columns.lost(row) { report.lost[column, default: 0] += 1 }
        logins.append(login)
    }

    /// The file's bytes. What others may change is nobody's word for a password.
    private func content(_ path: Argument) throws(CommandFailure) -> SecretBytes {
        do throws(SystemError) {
            let (content, _, status) = try AtomicFile.readSecretAndPath(path.text, limit: Self.limit)
            guard status.owner == geteuid() || status.owner == 0, status.mode & S_IWOTH == 0 else {
                throw SystemError(code: EPERM, call: "open", advice: "Other users may change the file.")
            }
            if status.mode & (S_IRGRP | S_IROTH) != 0 { session.explain("other users may read \(path.text).") }
            return content
        } catch {
            throw .unreadable(path, error.advice.isEmpty ? unsafe String(cString: strerror(error.code)) : error.advice)
        }
    }

    // MARK: - The keychain

    private mutating func add() throws(CommandFailure) {
        let progress = Progress(Self.call, session)
        defer { progress?.end() }
        for (number, login) in logins.enumerated() {
            try take(login)
            progress?.show("\(number + 1)/\(logins.count)")
        }
    }

    private mutating func take(_ login: ImportedLogin) throws(CommandFailure) {
        guard let old = try existing(login) else {
            if !isTrial { try store(login) }
            return report.added += 1
        }
        if old.password.isEqual(to: login.password) { return report.same += 1 }
        guard replaces else { return report.different.append(login.name) }
        if !isTrial { try change(old, login) }
        report.replaced += 1
    }

    private func existing(_ login: ImportedLogin) throws(CommandFailure) -> ItemResponse.Item? {
        do throws(CommandFailure) {
            return try send(.copyMatching) { (builder) throws(Refusal) in
                try builder.set(login)
                for key in ["r_Data", "r_PersistentRef"] { try builder.set(key, .boolean(true)) }
            }.first
        } catch {
            guard error.isStatus(.itemNotFound) else { throw error }
            return nil
        }
    }

    private func store(_ login: ImportedLogin) throws(CommandFailure) {
        _ = try send(.add) { (builder) throws(Refusal) in
            try builder.set(login)
            for (code, value) in login.description { try builder.set(code, value) }
            try login.password.withSpan { (bytes) throws(Refusal) in try builder.set("v_Data", data: bytes) }
        }
    }

    private func change(_ old: ItemResponse.Item, _ login: ImportedLogin) throws(CommandFailure) {
        _ = try send(.update) { (builder) throws(Refusal) in
            try builder.set("v_PersistentRef", old.reference)
            try login.password.withSpan { (bytes) throws(Refusal) in try builder.change("v_Data", data: bytes) }
        }
    }

    private func send(
        _ operation: ItemRequest.Operation, _ fill: (inout ItemRequestBuilder) throws(Refusal) -> Void
    ) throws(CommandFailure) -> [ItemResponse.Item] {
        try session.send(Self.call) { () throws(Refusal) in
            var builder = ItemRequestBuilder(operation)
            try fill(&builder)
            return try builder.build()
        }.items
    }
}

extension ItemRequestBuilder {
    fileprivate mutating func set(_ login: ImportedLogin) throws(Refusal) {
        try set("class", .string(login.itemClass.code))
        for (code, value) in login.place { try set(code, value) }
    }
}

extension CommandFailure {
    fileprivate static func unreadable(_ path: Argument, _ cause: String) -> CommandFailure {
        .failed(
            "import-from: \(path.text) cannot be read", cause: cause,
            remedy: "Name a file of your own that holds logins as CSV.")
    }
}
