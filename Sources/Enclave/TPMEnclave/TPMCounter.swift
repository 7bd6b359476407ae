import CTSS2
import KeychainCrypto
import KeychainModel
import LinuxSystem
import SecureEnclave

/// A vault's count in the TPM: an NV counter (TPM 2.0 Library, part 1, "NV Counters"), which is only ever counted up.
/// One that is removed and made again begins above all that the TPM has ever counted.
///
/// Its number follows from the vault's identifier, and so does its policy, a name that authorises nothing. An
/// authorisation value that follows from the device key lets this device read and count. The TPM's owner can remove the
/// counter; without a password of the owner, any program that may use the TPM can.
struct TPMCounter: RootCounter {
    let tpm: TPM
    let vault: [UInt8]
    let key: SecretBytes

    func read() throws(Refusal) -> RootCount {
        try tpm.run { (connection) throws(TPMFailure) in
            guard let index = try connection.find(name) else { return .none }
            defer { connection.close(index.handle) }
            guard index.isCounter else { return .foreign }
            do throws(TPMFailure) { return .value(try connection.readCounter(index.handle, key)) } catch {
                if ResponseCode.deniedCounter.contains(error) { return .foreign }
                throw error
            }
        }
    }

    func make() throws(Refusal) -> UInt64 {
        try remove()
        return try tpm.run { (connection) throws(TPMFailure) in
            let number = try connection.freeNumber(name)
            let handle = try connection.defineCounter(number, policy: name, key)
            defer { connection.close(handle) }
            try connection.increment(handle, key)
            return try connection.readCounter(handle, key)
        }
    }

    /// This is not repeated over a new connection, because the TPM may have counted already.
    func advance() throws(Refusal) {
        try tpm.run(repeating: false) { (connection) throws(TPMFailure) in
            guard let index = try connection.find(name) else { throw .malformed }
            defer { connection.close(index.handle) }
            try connection.increment(index.handle, key)
        }
    }

    func remove() throws(Refusal) {
        try tpm.run { (connection) throws(TPMFailure) in
            guard let index = try connection.find(name) else { return }
            try connection.undefine(index.handle)
        }
    }

    /// The name that tells it from the counters of others.
    private var name: [UInt8] {
        get throws(TPMFailure) {
            let text = Array("keychain vault 4: counter".utf8) + vault
            do throws(CryptoError) { return try Digest.sha256(text.span).span.array(0, 32) } catch { throw .malformed }
        }
    }
}

/// An index of the TPM's memory that is known to the library.
struct NVIndex {
    let handle: UInt32
    let isCounter: Bool
}

extension ResponseCode {
    static let handle: UInt32 = 0x08b
    static let nvAuthorization: UInt32 = 0x149
    static let nvUninitialized: UInt32 = 0x14a

    /// Failures for a caller that has not made the counter, or has not completed it.
    static let deniedCounter: [TPMFailure] = [
        .response(authFail), .response(badAuth), .response(nvAuthorization), .response(nvUninitialized),
    ]
}

extension TPMConnection {
    /// The first number that owners give (TCG: Registry of Reserved TPM 2.0 Handles and Localities, 2.2).
    private static let firstNumber: UInt32 = 0x0180_0000
    /// How many numbers a counter may have: others may have taken one.
    private static let tries: UInt32 = 8
    /// TPMA_NV_AUTHWRITE, AUTHREAD, NO_DA, and the type of a counter; WRITTEN when it has counted.
    private static let attributes: UInt32 = 1 << 2 | 1 << 18 | 1 << 25 | 1 << 4
    private static let written: UInt32 = 1 << 29

    private func numbers(_ name: [UInt8]) -> [UInt32] {
        let start = name.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
        return (0..<Self.tries).map { Self.firstNumber + (start &+ $0) & 0x3f_ffff }
    }

    /// The index that has this name.
    func find(_ name: [UInt8]) throws(TPMFailure) -> NVIndex? {
        for number in numbers(name) {
            guard let handle = try open(number) else { continue }
            let content = try content(of: handle)
            if content.authPolicy.bytes == name {
                let isCounter = content.attributes & ~Self.written == Self.attributes && content.dataSize == 8
                return NVIndex(handle: handle, isCounter: isCounter)
            }
            close(handle)
        }
        return nil
    }

    func freeNumber(_ name: [UInt8]) throws(TPMFailure) -> UInt32 {
        for number in numbers(name) {
            guard let handle = try open(number) else { return number }
            close(handle)
        }
        throw .response(ResponseCode.handle)
    }

    private func open(_ number: UInt32) throws(TPMFailure) -> UInt32? {
        do throws(TPMFailure) { return try handle(ofNumber: number) } catch {
            if error == .response(ResponseCode.handle) { return nil }
            throw error
        }
    }

    /// TPM2_NV_ReadPublic.
    private func content(of index: UInt32) throws(TPMFailure) -> TPMS_NV_PUBLIC {
        var content: UnsafeMutablePointer<TPM2B_NV_PUBLIC>?
        try run(
            { unsafe Esys_NV_ReadPublic_Async(context, index, ESYS_TR_NONE, ESYS_TR_NONE, ESYS_TR_NONE) },
            { unsafe Esys_NV_ReadPublic_Finish(context, &content, nil) })
        return unsafe try take(content) { $0.nvPublic }
    }

    /// TPM2_NV_DefineSpace, for an owner without a password.
    func defineCounter(_ number: UInt32, policy: [UInt8], _ key: SecretBytes) throws(TPMFailure) -> UInt32 {
        let encrypted = try session(.request)
        var info = TPM2B_NV_PUBLIC()
        (info.nvPublic.nvIndex, info.nvPublic.nameAlg) = (number, alg(TPM2_ALG_SHA256))
        (info.nvPublic.attributes, info.nvPublic.dataSize) = (Self.attributes, 8)
        info.nvPublic.authPolicy = try TPM2B_DIGEST(policy.span)
        var handle = ESYS_TR_NONE
        try withWiped(TPM2B_DIGEST()) { (auth) throws(TPMFailure) in
            try key.withSpan { (key) throws(TPMFailure) in try auth.fill(key) }
            try run(
                {
                    unsafe Esys_NV_DefineSpace_Async(
                        context, ESYS_TR_RH_OWNER, ESYS_TR_PASSWORD, encrypted, ESYS_TR_NONE, &auth, &info)
                }, { unsafe Esys_NV_DefineSpace_Finish(context, &handle) })
        }
        return handle
    }

    /// TPM2_NV_Increment.
    func increment(_ index: UInt32, _ key: SecretBytes) throws(TPMFailure) {
        try authorise(index, key)
        let shandle = try session(.none)
        try run(
            { unsafe Esys_NV_Increment_Async(context, index, index, shandle, ESYS_TR_NONE, ESYS_TR_NONE) },
            { unsafe Esys_NV_Increment_Finish(context) })
    }

    /// TPM2_NV_Read.
    func readCounter(_ index: UInt32, _ key: SecretBytes) throws(TPMFailure) -> UInt64 {
        try authorise(index, key)
        let shandle = try session(.none)
        var data: UnsafeMutablePointer<TPM2B_MAX_NV_BUFFER>?
        try run(
            { unsafe Esys_NV_Read_Async(context, index, index, shandle, ESYS_TR_NONE, ESYS_TR_NONE, 8, 0) },
            { unsafe Esys_NV_Read_Finish(context, &data) })
        let bytes = unsafe try take(data) { $0.bytes }
        guard bytes.count == 8 else { throw .malformed }
        return bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// TPM2_NV_UndefineSpace, for an owner without a password. The handle is gone with it.
    func undefine(_ index: UInt32) throws(TPMFailure) {
        try run(
            {
                unsafe Esys_NV_UndefineSpace_Async(
                    context, ESYS_TR_RH_OWNER, index, ESYS_TR_PASSWORD, ESYS_TR_NONE, ESYS_TR_NONE)
            }, { unsafe Esys_NV_UndefineSpace_Finish(context) })
    }

    /// Has the library forget an index; the TPM keeps it.
    func close(_ index: UInt32) {
        var handle = index
        _ = unsafe Esys_TR_Close(context, &handle)
    }
}
