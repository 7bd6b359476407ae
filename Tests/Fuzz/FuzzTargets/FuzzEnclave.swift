import LinuxSystem

@testable import EnclaveWire
@testable import KeychainModel
@testable import KeychainWire
@testable import SecureEnclave
@testable import SyncFormat

/// Messages of a daemon that means harm: each is answered or refused, nothing that was entered comes back, no key
/// becomes another one, and the vault stays one that opens.
///
///     input   = mood:u8 *message                       ; mood: what the user answers
///     message = word:u32 count:u16 body *(count:u8 passcode) ; shelves of a circle in place of passcodes have a u16
func fuzzEnclave(_ bytes: Span<UInt8>) {
    var input = InputReader(bytes)
    let device = FuzzDevice.shared
    let enclave = device.start(input.byte())
    let dispatcher = EnclaveDispatcher(enclave: enclave)
    var messages = 0
    while !input.isAtEnd, messages < 12 {
        messages += 1
        send(input.number(), &input, to: dispatcher)
    }
    device.check(enclave)
}

private func send(_ word: UInt32, _ input: inout InputReader, to dispatcher: EnclaveDispatcher) {
    let body = input.longRun()
    // A word that fits its operation has as many descriptors as that takes.
    let operation = (try? EnclaveOperation.reading(word: word))?.operation
    let hasShelves = operation.map { FuzzSeeds.shelfFiles[$0.number] != nil } ?? false
    let secrets = (0..<(operation?.descriptors ?? 0)).map { _ in hasShelves ? input.longRun() : input.run() }
    let files = secrets.map { secret in
        must("a passcode's file") { () throws(SystemError) in try PasscodeFile.make(SecretBytes(secret)) }
    }
    let answer = SecretBuffer(capacity: 256)
    let status = dispatcher.answer(word, body.span, descriptors: files, into: answer)
    let content = answer.withSpan { $0.array(0, $0.count) }
    require(content.count <= EnclaveChannelFormat.bodyLimit, "an answer does not fit its slot")
    // Words of a language, or few bytes, may be there by themselves.
    for secret in secrets where secret.contains(FuzzDevice.mark) {
        require(!content.contains(secret), "what was entered is in the answer to \(word)")
    }
    if status != 0 {
        let refusal = Refusal(decoding: SecretBytes(content), status: Int32(bitPattern: status))
        require(!refusal.problem.isEmpty && !refusal.rule.rawValue.isEmpty, "a refusal that says nothing")
    }
}

/// A vault in memory that every input finds as it was, with a row of each class.
final class FuzzDevice: Sendable {
    static let shared = FuzzDevice()
    static let passcode = mark + Array(" of the user".utf8)
    /// Nobody says this unasked.
    static let mark = Array("q7#Zk9".utf8)

    private let folder = FuzzFolder("enclave")
    private let vault: [UInt8]
    private let rows: [Row]

    struct Row: Sendable {
        let key: SecretBytes
        let identity: [UInt8]
        let accessibility: Accessibility
        let wrapped: [UInt8]

        init(_ accessibility: Accessibility, in enclave: SoftwareEnclave) throws(Refusal) {
            let (key, identity) = (SecretBytes.randomKey(), Randomness.bytes(RowKeyRecord.rowBytes))
            (self.key, self.identity, self.accessibility) = (key, identity, accessibility)
            wrapped = try enclave.wrapRowKey(key, row: identity.span, for: accessibility)
        }

        var record: [UInt8] { [accessibility.rawValue, 0, 0, 0] + identity + wrapped }
    }

    private init() {
        let path = folder.file("vault")
        let enclave = must("a new vault") { () throws(Refusal) in try Self.open(path, true, FuzzUser(0)) }
        rows = Accessibility.allCases.compactMap { try? Row($0, in: enclave) }
        guard let vault = folder.read("vault"), rows.count > 3 else { fatalError("no vault was made") }
        self.vault = vault
    }

    private static func open(_ path: String, _ create: Bool, _ user: FuzzUser) throws(Refusal) -> SoftwareEnclave {
        try SoftwareEnclave(
            vault: path, createIfMissing: create, passcodeCost: .cheapest,
            clock: DeviceClock { .init(boot: "boot", seconds: 1000) }, userAgent: user)
    }

    /// The enclave as it is before each input; odd moods begin with a passcode.
    func start(_ mood: UInt8) -> SoftwareEnclave {
        folder.put("vault", vault)
        let path = folder.file("vault")
        let enclave = must("the vault") { () throws(Refusal) in try Self.open(path, false, FuzzUser(mood)) }
        guard mood & 1 == 1 else { return enclave }
        must("a passcode") { () throws(Refusal) in
            try enclave.setPasscode(must("a file") { try PasscodeFile.make(SecretBytes(Self.passcode)) })
        }
        return enclave
    }

    /// No key that opens is another one, and the vault opens.
    func check(_ enclave: SoftwareEnclave) {
        let answer = SecretBuffer(capacity: 512)
        let records = Array(rows.map(\.record).joined())
        must("rows that were well") { () throws(Refusal) in try enclave.unwrapRowKeys(records.span, into: answer) }
        let keys = answer.withSpan { $0.array(0, $0.count) }
        for (number, row) in rows.enumerated() {
            let start = number * RowKeyRecord.answerSize
            guard keys[start] == RowKeyRecord.Outcome.opened.rawValue else { continue }
            require(Array(keys[start + 1..<start + RowKeyRecord.answerSize]) == row.key.array, "a row has another key")
        }
        let again = must("the vault opens no more") { () throws(Refusal) in
            try Self.open(folder.file("vault"), false, FuzzUser(0))
        }
        _ = must("the vault has no state") { () throws(Refusal) in try again.status() }
    }

    /// A key that this vault's enclave has sealed, and the enclave.
    func keyMaker() -> SoftwareEnclave { start(0) }
}

/// A user who answers once as the mood says, and is gone then.
final class FuzzUser: UserAgent {
    private let mood: UInt8
    private let asked = Lock(0)

    init(_ mood: UInt8) { self.mood = mood }

    func biometry() throws(Refusal) -> BiometryStatus {
        mood & 2 == 0
            ? BiometryStatus(state: .ready, enrolment: [UInt8](repeating: 5, count: BiometryStatus.enrolmentBytes))
            : BiometryStatus(state: .notEnrolled, enrolment: [])
    }

    func ask(_ question: UserQuestion, by deadline: Deadline) throws(Refusal) -> UserAnswer {
        let isFirst = asked.withLock { asked in
            asked += 1
            return asked <= 3
        }
        guard isFirst else { return .cancelled }
        switch question.kind {
        case .finger, .loginPassword: return mood & 4 == 0 ? .matched : .noMatch
        default: return .secret(SecretBytes(mood & 4 == 0 ? FuzzDevice.passcode : [1, 2, 3]))
        }
    }

    func withdraw(_ context: AuthenticationContext) {}
}

extension FuzzSeeds {
    static func ofEnclave() -> [[UInt8]] {
        var seeds: [[UInt8]] = []
        let bodies = enclaveBodies()
        for operation in EnclaveCalls.all {
            let classes: [Accessibility?] = [nil, .whenUnlocked]
            for accessibility in classes {
                let body = bodies[operation.number] ?? []
                let passcodes = Array(repeating: entry(FuzzDevice.passcode), count: operation.descriptors)
                let entered = (shelfFiles[operation.number] ?? passcodes).joined()
                let message = le(operation.word(for: accessibility)) + longEntry(body) + entered
                seeds += [[0] + message, [1] + message, [1] + unlocking + message, [0] + setting + message]
            }
        }
        return seeds
    }

    /// The files of calls for shelves of a circle: a list, and room for the answer.
    static let shelfFiles: [UInt8: [[UInt8]]] = {
        let list = written { shelf.append(to: $0) }
        let record = SyncShelf(
            id: shelf.id, made: 8, name: "n", commitment: [UInt8](repeating: 9, count: SyncShelf.commitmentSize),
            key: SecretBytes(shelf.key.bytes))
        let boxed =
            [UInt8](repeating: 3, count: BoxedRecord.size)
            + written { buffer in
                record.encoded().withSpan { buffer.append(bytes: $0) }
            }
        func files(_ list: [UInt8], _ room: Int) -> [[UInt8]] {
            [longEntry(list), longEntry([UInt8](repeating: 0, count: room))]
        }
        return [
            EnclaveCalls.boxShelves.operation.number: files(boxed, 1024),
            EnclaveCalls.unboxShelves.operation.number: files(boxed + boxed, 1024),
            EnclaveCalls.shelfCommitments.operation.number: files(list + list, 64),
        ]
    }()

    private static var setting: [UInt8] {
        le(EnclaveCalls.setPasscode.operation.word()) + [0, 0] + entry(FuzzDevice.passcode)
    }

    private static var unlocking: [UInt8] {
        le(EnclaveCalls.unlock.operation.word()) + [0, 0] + entry(FuzzDevice.passcode)
    }

    static func le(_ number: UInt32) -> [UInt8] { written { $0.append(littleEndian: number) } }
    static func entry(_ bytes: [UInt8]) -> [UInt8] { [UInt8(bytes.count)] + bytes }
    static func longEntry(_ bytes: [UInt8]) -> [UInt8] {
        [UInt8(bytes.count & 0xFF), UInt8(bytes.count >> 8)] + bytes
    }

    private static func enclaveBodies() -> [UInt8: [UInt8]] {
        let inContext = written { (context as AuthenticationContext?).append(to: $0) }
        let withContext = written { context.append(to: $0) }
        let withBinding = written { binding.append(to: $0) }
        let task = AuthenticationTask(context: context, purpose: .context(.policy(2)), prompt: prompt)
        var bodies: [UInt8: [UInt8]] = [:]
        bodies[EnclaveCalls.unwrapMetadataKey.operation.number] = Array(0..<60)
        bodies[EnclaveCalls.wrapRowKeys.number] = Array(0..<48)
        bodies[EnclaveCalls.unwrapRowKeys.number] = Array(0..<80)
        bodies[EnclaveCalls.makeKey.operation.number] = inContext + withBinding
        bodies[EnclaveCalls.importKey.operation.number] = [0, 73] + withBinding + entry([]) + [0, 0, 0]
        bodies[EnclaveCalls.useKey.operation.number] = [0] + sealedKey.bytes + written { keyUse.append(to: $0) }
        bodies[EnclaveCalls.checkKey.operation.number] = sealedKey.bytes
        bodies[EnclaveCalls.rebindKey.operation.number] = [0] + sealedKey.bytes + withBinding
        bodies[EnclaveCalls.authenticate.operation.number] = le(10) + written { task.append(to: $0) }
        bodies[EnclaveCalls.setCredential.operation.number] = withContext
        bodies[EnclaveCalls.setTerminal.operation.number] = withContext
        bodies[EnclaveCalls.invalidate.operation.number] = withContext
        bodies[EnclaveCalls.wrapGuardedRowKey.operation.number] = inContext + Array(repeating: 1, count: 56)
        bodies[EnclaveCalls.unwrapGuardedRowKey.operation.number] = inContext + Array(0..<16) + le(0)
        bodies[EnclaveCalls.changeSettings.operation.number] = [1, 60, 0, 0, 0]
        bodies[EnclaveCalls.unlockWith.operation.number] = [1]
        bodies[EnclaveCalls.replacePasscode.operation.number] = [1]
        bodies[EnclaveCalls.addSlot.operation.number] = [3, 1]
        bodies[EnclaveCalls.addSlotWith.operation.number] = [3, 1]
        bodies[EnclaveCalls.removeSlot.operation.number] = [1, 1]
        bodies[EnclaveCalls.setFileRecovery.operation.number] = [1, 0]
        bodies[EnclaveCalls.renewMark.operation.number] = [1]
        return bodies
    }
}

extension [UInt8] {
    /// Whether it has these bytes somewhere.
    func contains(_ part: [UInt8]) -> Bool {
        guard !part.isEmpty, part.count <= count else { return part.isEmpty }
        return indices.prefix(count - part.count + 1).contains { self[$0] == part[0] && self[$0...].starts(with: part) }
    }
}
