import CTSS2
import Glibc
import KeychainModel
import LinuxSystem

/// A connection to one TPM, with the storage key and the session that everything goes through.
///
/// Its guarantees:
/// 1. Every command ends after ``timeout`` milliseconds at the latest; a TPM that is late loses the connection, for
/// its answer
///    could be taken for that of the next command.
/// 2. An HMAC authenticates the content of each command, under a session salted to the storage key. If the first
///    parameter is a secret, or is bound to one, the session encrypts it (AES-128-CFB).
/// 3. Every handle it opened is closed: objects by ``LoadedObject``, the rest when the connection goes.
//
// The library's context must not be used by two threads at once; `TPM` lends a connection under its mutex.
@safe final class TPMConnection: @unchecked Sendable {
    /// How long one command may take, in milliseconds. Making a key takes seconds on the slowest chips.
    let timeout: Int
    private let transport: Transport
    let context: OpaquePointer
    /// The key that all our objects are wrapped by.
    private(set) var storageKey: UInt32 = ESYS_TR_NONE
    /// Tells this TPM's storage key from any other's.
    private(set) var storageName: [UInt8] = []
    private(set) var session: UInt32 = ESYS_TR_NONE
    /// Set when nothing more can be asked.
    private(set) var isBroken = false
    private var canBeWaitedFor = true
    /// Keys that stay loaded, the last used at the end.
    var loadedKeys: [LoadedKey] = []
    var keyLimit = 1

    /// Connects, and makes storage key and session.
    ///
    /// - Parameter address: see ``Transport``.
    init(_ address: String, timeout: Int) throws(TPMFailure) {
        self.timeout = timeout
        transport = try Transport(address, deadline: .after(milliseconds: timeout))
        var context: OpaquePointer?
        let code = unsafe Esys_Initialize(&context, transport.context, nil)
        guard code == TSS2_RC_SUCCESS, let context = unsafe context else { throw .gone(TPMFailure.text(code)) }
        unsafe self.context = context
        try establish()
    }

    deinit {
        close()
        var context: OpaquePointer? = unsafe context
        unsafe Esys_Finalize(&context)
    }

    /// Closes the open objects in the TPM. Without a resource manager no other program would.
    private func close() {
        forgetKeys()
        for handle in [session, storageKey] where handle != ESYS_TR_NONE { flush(handle) }
    }

    private func establish() throws(TPMFailure) {
        // Closes the objects of a process that ended without closing them, where no resource manager has. They would
        // leave no room for this one's.
        if try freeObjects() < Self.neededObjects { try flushEverything() }
        do throws(TPMFailure) { try open() } catch {
            guard case .response(let code) = error, ResponseCode.full.contains(code) else { throw error }
            try flushEverything()
            storageKey = ESYS_TR_NONE
            try open()
        }
    }

    /// The storage key, a key that stays loaded, and one for a moment: as many as the smallest TPM has room for.
    private static let neededObjects: UInt32 = 3

    private func freeObjects() throws(TPMFailure) -> UInt32 {
        try property(TPMProperty.transientObjectsAvailable) ?? Self.neededObjects
    }

    private func open() throws(TPMFailure) {
        storageKey = try makeStorageKey()
        storageName = try name(of: storageKey)
        session = try startSession(saltedTo: storageKey)
        keyLimit = max(1, min(Int(try freeObjects()) - 1, LoadedKey.most))
    }
}

// MARK: - Commands

extension TPMConnection {
    /// Sends a command and waits for its answer.
    ///
    /// - Parameters:
    ///   - start: calls the library's `…_Async`.
    ///   - finish: calls the library's `…_Finish`.
    /// - Throws: the refusal of the TPM or the library; ``TPMFailure/silent``.
    func run(
        _ start: () -> UInt32, _ finish: () -> UInt32
    ) throws(TPMFailure) {
        guard !isBroken else { throw .gone("the connection was given up") }
        do throws(TPMFailure) {
            try check(start())
            let deadline = Deadline.after(milliseconds: timeout)
            var code: UInt32
            repeat {
                try waitForAnswer(deadline)
                code = finish()
            } while code & 0xffff == TSS2_BASE_RC_TRY_AGAIN && code >> 16 != 0
            try check(code)
        } catch {
            if error.endsConnection { isBroken = true }
            throw error
        }
    }

    func check(_ code: UInt32) throws(TPMFailure) {
        if code != TSS2_RC_SUCCESS { throw TPMFailure(code) }
    }

    /// Waits until there is something to read from the TPM. A module of the library's that cannot be waited for has its
    /// own limit, or none.
    private func waitForAnswer(_ deadline: Deadline) throws(TPMFailure) {
        guard canBeWaitedFor else { return }
        var handles: UnsafeMutablePointer<TSS2_TCTI_POLL_HANDLE>?
        var count = 0
        let code = unsafe Esys_GetPollHandles(context, &handles, &count)
        canBeWaitedFor = code == TSS2_RC_SUCCESS
        guard canBeWaitedFor, let handles = unsafe handles else { return }
        defer { unsafe free(handles) }
        while true {
            let ready = unsafe poll(handles, nfds_t(count), deadline.remainingMilliseconds)
            if ready > 0 { return }
            if ready == 0 { throw .silent }
            guard errno == EINTR else { throw .gone("poll: \(errno)") }
        }
    }

    /// Closes a handle. One that cannot be closed is lost with the connection.
    func flush(_ handle: UInt32) {
        try? run({ unsafe Esys_FlushContext_Async(context, handle) }, { unsafe Esys_FlushContext_Finish(context) })
    }

    /// Closes all objects and sessions there are, whichever process opened them. Behind a resource manager these are
    /// this process's own.
    private func flushEverything() throws(TPMFailure) {
        var system: OpaquePointer?
        try check(unsafe Esys_GetSysContext(context, &system))
        guard let system = unsafe system else { return }
        for kind in HandleKind.all {
            for handle in try handles(kind) { try check(unsafe Tss2_Sys_FlushContext(system, handle)) }
        }
    }
}
