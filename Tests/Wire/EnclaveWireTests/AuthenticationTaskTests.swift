import EnclaveWire
import KeychainModel
import KeychainWire
import LinuxSystem
import Testing

/// The daemon's questions about users, and the bindings of guarded rows and keys, as bytes.
struct AuthenticationTaskTests {
    private static let context = AuthenticationContext(
        identifier: [UInt8](repeating: 1, count: 16), caller: [UInt8](repeating: 2, count: 32))

    private static func items(_ count: Int) -> AuthenticationTask.Purpose {
        .items(
            guards: (0..<count).map {
                ItemGuard(identifier: [UInt8](repeating: UInt8($0 % 251), count: 16), flags: UInt64($0))
            }, .useKeySign)
    }

    static let purposes: [AuthenticationTask.Purpose] = [
        .context(.policy(2)), .context(.control(flags: 1 << 40 | 3, .useKeyDecrypt)), items(0), items(3),
        items(AuthenticationTask.mostGuards),
    ]

    private func bytes(_ task: AuthenticationTask) -> [UInt8] {
        let buffer = SecretBuffer()
        task.append(to: buffer)
        return buffer.withSpan { $0.array(0, $0.count) }
    }

    private func read<Value>(
        _ bytes: [UInt8], _ read: (inout WireReader) throws(Refusal) -> Value
    ) throws(Refusal) -> Value {
        var reader = WireReader(SecretBytes(copying: bytes.span))
        let value = try read(&reader)
        guard reader.isAtEnd else { throw Refusal(.param, .malformedFrame, "", "", do: "") }
        return value
    }

    @Test("A task is read as it was written, and no beginning of one is", arguments: purposes)
    func roundTrip(_ purpose: AuthenticationTask.Purpose) throws {
        var prompt = Prompt(reason: "why", fallbackTitle: "", surroundings: PromptEnvironment(terminal: "/dev/pts/1"))
        (prompt.program, prompt.item) = ("/bin/x", "item")
        let task = AuthenticationTask(context: Self.context, purpose: purpose, prompt: prompt)
        try task.checkSize()
        let bytes = bytes(task)
        #expect(try read(bytes) { (body) throws(Refusal) in try AuthenticationTask(from: &body) } == task)
        for count in stride(from: 0, to: bytes.count, by: 1 + bytes.count / 300) {
            #expect(throws: Refusal.self) {
                try read(Array(bytes.prefix(count))) { (body) throws(Refusal) in try AuthenticationTask(from: &body) }
            }
        }
    }

    @Test("What cannot be written as it is, is refused before")
    func checkSize() {
        for (context, purpose): (AuthenticationContext, AuthenticationTask.Purpose) in [
            (Self.context, Self.items(AuthenticationTask.mostGuards + 1)),
            (Self.context, .items(guards: [ItemGuard(identifier: [1], flags: 0)], .useItem)),
            (AuthenticationContext(identifier: [1], caller: Self.context.caller), .context(.policy(1))),
            (AuthenticationContext(identifier: Self.context.identifier, caller: []), .context(.policy(1))),
        ] {
            let task = AuthenticationTask(context: context, purpose: purpose, prompt: Prompt())
            #expect(throws: Refusal.self) { try task.checkSize() }
        }
    }

    @Test("The largest task fits one message of the enclave's channel")
    func largest() {
        let long = String(repeating: "x", count: 10_000)
        let environment = Dictionary(
            uniqueKeysWithValues: PromptEnvironment.variables.map {
                ($0, String(repeating: "y", count: PromptLimits.variableBytes))
            })
        var prompt = Prompt(
            reason: long, fallbackTitle: long, cancelTitle: long,
            surroundings: PromptEnvironment(
                terminal: String(repeating: "t", count: PromptLimits.terminalBytes), environment: environment))
        (prompt.program, prompt.item) = (long, long)
        let purpose = Self.items(AuthenticationTask.mostGuards)
        let task = AuthenticationTask(context: Self.context, purpose: purpose, prompt: prompt)
        #expect(bytes(task).count + 4 <= EnclaveChannelFormat.bodyLimit)
    }

    @Test("A guarded row key is read as it was written, and nothing else is")
    func guardedRowKey() throws {
        for binding in [
            GuardBinding(), GuardBinding(enrolment: [UInt8](repeating: 3, count: 32)),
            GuardBinding(
                enrolment: [UInt8](repeating: 3, count: 32), password: [UInt8](repeating: 4, count: 24)),
        ] {
            let box = [UInt8](repeating: 5, count: GuardedRowKey.boxLimit)
            let key = GuardedRowKey(flags: 1 << 31 | 8, binding: binding, box: box)
            #expect(try GuardedRowKey(decoding: key.bytes) == key)
            #expect(key.bytes.count <= GuardedRowKey.mostBytes && key.bytes.count > RowKeyRecord.wrappedBytes)
            #expect(key.bytes.starts(with: key.head))
            for count in 0..<key.bytes.count {
                #expect(throws: Refusal.self) { try GuardedRowKey(decoding: Array(key.bytes.prefix(count))) }
            }
            #expect(throws: Refusal.self) { try GuardedRowKey(decoding: key.bytes + [0]) }
            #expect(throws: Refusal.self) { try GuardedRowKey(decoding: [2] + key.bytes.dropFirst()) }
        }
        for odd in [
            GuardBinding(enrolment: [1]), GuardBinding(password: [1]),
            GuardBinding(enrolment: [UInt8](repeating: 3, count: 33)),
        ] {
            let bytes = GuardedRowKey(flags: 1, binding: odd, box: [1]).bytes
            #expect(throws: Refusal.self) { try GuardedRowKey(decoding: bytes) }
        }
    }
}
