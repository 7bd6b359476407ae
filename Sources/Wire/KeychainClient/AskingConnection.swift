package import KeychainModel
package import KeychainWire
package import LinuxSystem

/// A caller's answers to how its user may be asked.
package struct Asking: Sendable {
    /// The identifier of the `LAContext` that the program gave; nil when it gave none.
    package var context: [UInt8]?
    /// The application password that was set in it.
    package var password: SecretBytes?
    /// How the user can be reached, and the text of the prompt.
    package var prompt: Prompt

    package init(context: [UInt8]? = nil, password: SecretBytes? = nil, prompt: Prompt) {
        (self.context, self.password, self.prompt) = (context, password, prompt)
    }
}

/// A connection that prompts the user where a request requires it (rule authentication.query.rounds).
///
/// The pages of an enumeration after its first share a context, so that the user is asked once for all of them; it ends
/// with this connection. So do requests that belong together (``inOneContext(_:)``).
package final class AskingConnection: KeychainConnection {
    private let connection: any KeychainConnection
    private let makeAsking: @Sendable () throws(Refusal) -> Asking
    private let startsPlainly: Bool
    private let ofPages = Lock<[UInt8]?>(nil)
    private let isTogether = Lock(false)
    private let reasonOfWhole = Lock("")

    /// - Parameter startsPlainly: whether requests go plainly first, as most need nobody.
    package init(_ connection: any KeychainConnection, _ asking: Asking, startsPlainly: Bool) {
        (self.connection, self.startsPlainly) = (connection, startsPlainly)
        makeAsking = { asking }
    }

    /// A connection that sends each request without prompt data first. It calls `asking` only when the user is needed,
    /// for each such request again.
    package init(_ connection: any KeychainConnection, whenNeeded: @escaping @Sendable () throws(Refusal) -> Asking) {
        (self.connection, startsPlainly, makeAsking) = (connection, true, whenNeeded)
    }

    deinit { endContext() }

    /// Runs something whose requests are one thing to the user: what they show for the first of them serves the others.
    ///
    /// - Parameter reason: why the user is asked, for a prompt that has no reason of its own.
    package func inOneContext<Result, Failure: Error>(
        reason: String = "", _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        isTogether.withLock { $0 = true }
        reasonOfWhole.withLock { $0 = reason }
        defer {
            isTogether.withLock { $0 = false }
            reasonOfWhole.withLock { $0 = "" }
            endContext()
        }
        return try body()
    }

    private func endContext() {
        let ended = ofPages.withLock { context in
            defer { context = nil }
            return context
        }
        guard let ended else { return }
        _ = try? connection.authentication(.invalidate(context: ended), descriptors: [])
    }

    package var timeoutOfWhole: UInt32 { connection.timeoutOfWhole }

    package func send(_ request: ItemRequest) throws(Refusal) -> ItemResponse {
        if let response = try plainly({ () throws(Refusal) in try connection.send(request) }) { return response }
        return try sendWithPrompt(request)
    }

    /// Where the user has to be asked, there is as long as for any prompt.
    package func send(_ request: ItemRequest, by deadline: Deadline) throws(Refusal) -> ItemResponse {
        if let response = try plainly({ () throws(Refusal) in try connection.send(request, by: deadline) }) {
            return response
        }
        return try sendWithPrompt(request)
    }

    private func sendWithPrompt(_ request: ItemRequest) throws(Refusal) -> ItemResponse {
        var asking = try makeAsking()
        if asking.prompt.reason.isEmpty { asking.prompt.reason = reasonOfWhole.withLock { $0 } }
        let sharesContext = request.cursor != 0 || isTogether.withLock { $0 }
        let context = asking.context ?? (sharesContext ? contextOfPages() : nil)
        guard case .item(let response) = try perform(.item(request), asking, in: context) else {
            throw .malformed("the answer to an item request")
        }
        return response
    }

    package func key(_ request: KeyRequest) throws(Refusal) -> KeyReply {
        if let reply = try plainly({ () throws(Refusal) in try connection.key(request) }) { return reply }
        let asking = try makeAsking()
        guard case .key(let reply) = try perform(.key(request), asking, in: asking.context) else {
            throw .malformed("the answer to a key request")
        }
        return reply
    }

    package func device(_ request: DeviceRequest, passcodes: [FileDescriptor]) throws(Refusal) -> DeviceReply {
        try connection.device(request, passcodes: passcodes)
    }

    package func device(
        _ request: DeviceRequest, passcodes: [FileDescriptor], by deadline: Deadline
    ) throws(Refusal) -> DeviceReply {
        try connection.device(request, passcodes: passcodes, by: deadline)
    }

    package func device(
        _ request: DeviceRequest, until cancellation: RequestCancellation
    ) throws(Refusal) -> DeviceReply {
        try connection.device(request, until: cancellation)
    }

    package func authentication(
        _ request: AuthenticationRequest, descriptors: [FileDescriptor]
    ) throws(Refusal) -> AuthenticationReply {
        try connection.authentication(request, descriptors: descriptors)
    }

    /// The answer of a request that needed nobody; nil when the user has to be asked.
    private func plainly<Answer>(_ ask: () throws(Refusal) -> Answer) throws(Refusal) -> Answer? {
        guard startsPlainly else { return nil }
        do throws(Refusal) { return try ask() } catch {
            guard error.status == .authNeeded else { throw error }
            try makeAsking().check(error)
            return nil
        }
    }

    private func perform(
        _ inner: AuthenticationRequest.Inner, _ asking: Asking, in context: [UInt8]?
    ) throws(Refusal) -> AuthenticationReply {
        let password = try asking.passwordFile()
        return try connection.authentication(
            .perform(inner, context: context, prompt: asking.prompt), descriptors: password.map { [$0] } ?? [])
    }

    private func contextOfPages() -> [UInt8] {
        ofPages.withLock { context in
            let made = context ?? Randomness.bytes(AuthenticationContext.identifierBytes)
            context = made
            return made
        }
    }
}

extension Asking {
    /// Lets a refusal pass that asking the user may remedy.
    ///
    /// - Throws: every other refusal; `errSecInteractionNotAllowed` where asking would be the only remedy and is
    ///   forbidden.
    package func check(_ refusal: Refusal) throws(Refusal) {
        guard refusal.status == .authNeeded else { throw refusal }
        // A context may have shown enough already, or bring the password.
        if prompt.interaction == .never, context == nil { throw refusal.forbiddenToAsk }
    }

    /// The password as a memory file, which the processes between program and enclave pass on without reading it; nil
    /// for none.
    ///
    /// - Throws: `errSecAllocate` when none can be made.
    package func passwordFile() throws(Refusal) -> FileDescriptor? {
        guard let password else { return nil }
        do throws(SystemError) { return try PasscodeFile.make(password) } catch {
            throw Refusal(
                .allocate, .unavailable, "password", "The application password cannot be handed over: \(error).",
                do: "Try again.")
        }
    }
}
