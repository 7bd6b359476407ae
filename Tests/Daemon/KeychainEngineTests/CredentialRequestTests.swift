import KeychainModel
import KeychainPolicy
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@testable import KeychainEngine

/// A thief of a passcode guesses, ends the keychain and puts the vault back: no request takes a second guess.
@Suite("Every request with a credential is counted in the store") struct CredentialRequestTests {
    /// All kinds of requests: the compiler names one that has no place in the table.
    enum Kind: CaseIterable {
        case status, lock, unlock, setPasscode, removePasscode, verify, moveToTPM, moveToSoftware, details, unlockWith
        case replacePasscode, addSlot, removeSlot, changeSettings, watch, watchGroups, acceptStore, snapshot, identity
        case examine
        case release, decisions, why, move, orphans, setPolicy, uninstalled, work, keepRows, row, others, changes
        case gather, use, lastUnlock, backup, restore, backupStep, circle, setFileRecovery

        init(_ request: DeviceRequest) {
            switch request {
            case .status: self = .status
            case .lock: self = .lock
            case .unlock: self = .unlock
            case .setPasscode: self = .setPasscode
            case .removePasscode, .removePasscodeAndFiles: self = .removePasscode
            case .verify: self = .verify
            case .moveToTPM: self = .moveToTPM
            case .moveToSoftware: self = .moveToSoftware
            case .details: self = .details
            case .unlockWith: self = .unlockWith
            case .replacePasscode: self = .replacePasscode
            case .addSlot: self = .addSlot
            case .removeSlot: self = .removeSlot
            case .changeSettings: self = .changeSettings
            case .watch: self = .watch
            case .watchGroups: self = .watchGroups
            case .acceptStore: self = .acceptStore
            case .snapshot: self = .snapshot
            case .identity: self = .identity
            case .examine: self = .examine
            case .release: self = .release
            case .lastUnlock: self = .lastUnlock
            case .access(let request): self.init(request)
            case .backup(.begin): self = .backup
            case .backup(.open): self = .restore
            case .backup: self = .backupStep
            case .sync: self = .circle
            case .setFileRecovery: self = .setFileRecovery
            }
        }

        init(_ request: AccessRequest) {
            switch request {
            case .decisions: self = .decisions
            case .why, .whyFile: self = .why
            case .move: self = .move
            case .orphans: self = .orphans
            case .setPolicy: self = .setPolicy
            case .uninstalled: self = .uninstalled
            case .work: self = .work
            case .keepRows: self = .keepRows
            case .row: self = .row
            case .others: self = .others
            case .changes: self = .changes
            case .gather: self = .gather
            case .use: self = .use
            }
        }

        /// A request of the kind that takes a credential in these tests; nil for a kind that takes none.
        func request() throws -> DeviceRequest? {
            var search = ItemRequestBuilder(.copyMatching)
            try search.set("class", .string("genp"))
            let work = ProgramWork(CredentialRequestTests.group, [try search.build()])
            return switch self {
            case .unlock: .unlock
            case .setPasscode: .setPasscode
            case .removePasscode: .removePasscode
            case .moveToTPM: .moveToTPM
            case .moveToSoftware: .moveToSoftware
            case .unlockWith: .unlockWith(.passcode)
            case .replacePasscode: .replacePasscode(by: .passcode)
            case .addSlot: .addSlot(.recovery, by: .passcode)
            case .removeSlot: .removeSlot(1, by: .passcode)
            case .acceptStore: .acceptStore
            case .setFileRecovery: .setFileRecovery(.none, by: .passcode)
            case .move: .access(.move(GroupMove(from: "test", to: "new")))
            case .setPolicy: .access(.setPolicy(.keep, group: CredentialRequestTests.group))
            case .work:
                .access(.work(work))
            case .backup: .backup(.begin(by: .passcode))
            case .restore:
                .backup(.open(BackupOpening(.restore, by: .passcode, .passphrase, header: [], manifest: [])))
            case .status, .lock, .verify, .details, .changeSettings, .watch, .watchGroups, .snapshot, .identity,
                .examine, .release, .decisions, .why, .orphans, .uninstalled, .keepRows, .row, .others, .changes,
                .gather, .use,
                .lastUnlock, .backupStep, .circle:
                nil
            }
        }
    }

    private static let group = "program:/bin/app"
    private static let command = CallerIdentity(
        user: CurrentProcess.user == 0 ? 1000 : CurrentProcess.user, process: 3, program: "/usr/bin/security",
        groups: ["program:/usr/bin/security"], mayInspectAllGroups: true)
    /// Kinds that refuse here before they look at the credential: there is no TPM and no slot to remove, and the store
    /// is current.
    private static let refusedBefore: Set<Kind> = [.moveToTPM, .moveToSoftware, .acceptStore, .removeSlot]
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test("After a wrong passcode the vault from before it opens nothing", arguments: Kind.allCases)
    func countsGuess(kind: Kind) throws {
        guard let request = try kind.request() else { return }
        #expect(Kind(request) == kind && request.descriptors.upperBound > 0)
        let vault = directory.path + "/keychain/vault"
        let old: [UInt8]
        do {
            let engine = try TestEngine(in: directory)
            try engine.add("a", "1")
            _ = try engine.device(.setPasscode, "right")
            old = try AtomicFile.read(vault, limit: 1 << 16)
            let status = try guess(request, engine)
            #expect(status != 0)
            let isCounted = try AtomicFile.read(vault, limit: 1 << 16) != old
            #expect(isCounted != Self.refusedBefore.contains(kind))
            guard isCounted else { return }
        }
        try AtomicFile.replace(vault, with: old.span)
        #expect(try TestEngine(in: directory).engine.news().status.age == .olderVault)
    }

    private func guess(_ request: DeviceRequest, _ engine: TestEngine) throws -> Int32 {
        let writer = ResponseWriter()
        let files = try (0..<request.descriptors.upperBound).map { _ in
            try PasscodeFile.make(SecretBytes(copying: Array("wrong".utf8).span))
        }
        engine.engine.device(
            request, passcodes: files, from: Self.command, id: 1, by: .never, into: writer)
        return writer.complete().status
    }

    @Test("A kind without a credential takes no descriptor, and every other one is counted")
    func everyKindWithDescriptor() throws {
        let others: [DeviceRequest] = [
            .status, .lock, .details, .identity, .snapshot, .release, .watch(epoch: 0, milliseconds: 0),
            .watchGroups(GroupWatch([])), .verify(from: .start), .changeSettings(DeviceSettings()),
            .access(.decisions(after: 0)),
            .access(.why(program: "", query: [])), .access(.orphans), .access(.uninstalled([])), .access(.keepRows([])),
            .access(.row(1)), .access(.others), .access(.changes(after: 0)),
            .access(.gather), .access(.use), .lastUnlock, .backup(.survey(from: .start)), .sync(.status),
        ]
        for request in others { #expect(request.descriptors.upperBound == 0) }
        // The server and the embedded keychain examine programs without the engine.
        let known = try Set(others.map { Kind($0) }).union(Kind.allCases.filter { try $0.request() != nil }).union([
            .examine
        ])
        #expect(known == Set(Kind.allCases))
        for request in try Kind.allCases.compactMap({ try $0.request() }) {
            #expect(request.mayChangeVault(with: 1))
            #expect(!request.traits.isRepeatable && !request.traits.isBrief, "a guess would count twice: \(request)")
        }
        let identifier = [UInt8](repeating: 1, count: AuthenticationContext.identifierBytes)
        for request in [AuthenticationRequest.capabilities, .invalidate(context: identifier)] {
            #expect(request.descriptors.upperBound == 0 && request.mayChangeVault(with: 1))
        }
    }
}
