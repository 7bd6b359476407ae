import CTSS2
import KeychainModel
import LinuxSystem

/// The commands we use, one function each (TPM 2.0 Library, part 3).
extension TPMConnection {
    /// Which parameters a session encrypts: those that are, or could be, a secret.
    enum Encryption: UInt8 {
        case none = 0
        case request = 0x20
        case response = 0x40
        case both = 0x60
    }

    /// The session, prepared for the encryption of the next command.
    func session(_ encryption: Encryption) throws(TPMFailure) -> UInt32 {
        let continued: UInt8 = 0x01
        try check(unsafe Esys_TRSess_SetAttributes(context, session, continued | encryption.rawValue, 0xff))
        return session
    }

    func makeStorageKey() throws(TPMFailure) -> UInt32 {
        do throws(TPMFailure) { return try create(.storageKey) } catch {
            // The owner has set a password. So there is the persistent key that the owner made for everybody.
            guard [.response(ResponseCode.badAuth), .response(ResponseCode.authFail)].contains(error) else {
                throw error
            }
            return try handle(ofNumber: Self.sharedStorageKey)
        }
    }

    /// Where a storage key for everybody lies (TCG: Registry of Reserved TPM 2.0 Handles and Localities, 2.3).
    private static let sharedStorageKey: UInt32 = 0x8100_0001

    /// The library's handle of what the TPM has under a number of its own.
    func handle(ofNumber number: UInt32) throws(TPMFailure) -> UInt32 {
        var handle = ESYS_TR_NONE
        try run(
            { unsafe Esys_TR_FromTPMPublic_Async(context, number, ESYS_TR_NONE, ESYS_TR_NONE, ESYS_TR_NONE) },
            { unsafe Esys_TR_FromTPMPublic_Finish(context, &handle) })
        return handle
    }

    /// TPM2_CreatePrimary, for a hierarchy without a password.
    func create(_ primary: Primary) throws(TPMFailure) -> UInt32 {
        var (nothing, data) = (TPM2B_SENSITIVE_CREATE(), TPM2B_DATA())
        var (template, registers) = (primary.template, TPML_PCR_SELECTION())
        let hierarchy = primary.hierarchy
        var handle = ESYS_TR_NONE
        try run(
            {
                unsafe Esys_CreatePrimary_Async(
                    context, hierarchy, ESYS_TR_PASSWORD, ESYS_TR_NONE, ESYS_TR_NONE, &nothing, &template, &data,
                    &registers)
            }, { unsafe Esys_CreatePrimary_Finish(context, &handle, nil, nil, nil, nil) })
        return handle
    }

    /// TPM2_StartAuthSession: an HMAC session whose key only the holder of `key` can know.
    func startSession(saltedTo key: UInt32) throws(TPMFailure) -> UInt32 {
        var cipher = TPMT_SYM_DEF()
        cipher.algorithm = alg(TPM2_ALG_AES)
        unsafe cipher.keyBits.aes = 128
        unsafe cipher.mode.aes = alg(TPM2_ALG_CFB)
        var handle = ESYS_TR_NONE
        try run(
            {
                unsafe Esys_StartAuthSession_Async(
                    context, key, ESYS_TR_NONE, ESYS_TR_NONE, ESYS_TR_NONE, ESYS_TR_NONE, nil, 0, &cipher,
                    alg(TPM2_ALG_SHA256))
            }, { unsafe Esys_StartAuthSession_Finish(context, &handle) })
        return handle
    }

    /// TPM2_Create under the storage key.
    ///
    /// - Parameters:
    ///   - auth: the authorisation to use the object with; empty for none.
    ///   - secret: the bytes to seal; empty for an object that the TPM makes itself.
    func create(
        _ template: TPM2B_PUBLIC, auth: SecretBytes? = nil, sealing secret: SecretBytes? = nil
    ) throws(TPMFailure) -> TPMObject {
        let shandle = try session(.both)
        var (template, data, registers) = (template, TPM2B_DATA(), TPML_PCR_SELECTION())
        var (privateArea, publicArea): (UnsafeMutablePointer<TPM2B_PRIVATE>?, UnsafeMutablePointer<TPM2B_PUBLIC>?)
        try withWiped(TPM2B_SENSITIVE_CREATE()) { (sensitive) throws(TPMFailure) in
            try auth?.withSpan { (auth) throws(TPMFailure) in try sensitive.sensitive.userAuth.fill(auth) }
            try secret?.withSpan { (secret) throws(TPMFailure) in try sensitive.sensitive.data.fill(secret) }
            try run(
                {
                    unsafe Esys_Create_Async(
                        context, storageKey, shandle, ESYS_TR_NONE, ESYS_TR_NONE, &sensitive, &template, &data,
                        &registers)
                }, { unsafe Esys_Create_Finish(context, &privateArea, &publicArea, nil, nil, nil) })
        }
        let wrapped = unsafe try take(privateArea) { $0.bytes }
        return try TPMObject(unsafe try take(publicArea) { $0 }, wrapped)
    }

    /// TPM2_Load under the storage key.
    ///
    /// - Throws: ``TPMFailure/otherTPM(_:)`` when this TPM has not made it.
    func load(_ object: TPMObject, auth: SecretBytes? = nil) throws(TPMFailure) -> UInt32 {
        let shandle = try session(.both)
        var (publicArea, privateArea) = (try object.unmarshalled(), try TPM2B_PRIVATE(object.privateArea.span))
        var handle = ESYS_TR_NONE
        do throws(TPMFailure) {
            try run(
                {
                    unsafe Esys_Load_Async(
                        context, storageKey, shandle, ESYS_TR_NONE, ESYS_TR_NONE, &privateArea, &publicArea)
                }, { unsafe Esys_Load_Finish(context, &handle) })
        } catch { throw error == .response(ResponseCode.integrity) ? .otherTPM(.unknown) : error }
        if let auth { try authorise(handle, auth) }
        return handle
    }

    func authorise(_ handle: UInt32, _ auth: SecretBytes) throws(TPMFailure) {
        try withWiped(TPM2B_DIGEST()) { (value) throws(TPMFailure) in
            try auth.withSpan { (auth) throws(TPMFailure) in try value.fill(auth) }
            try check(unsafe Esys_TR_SetAuth(context, handle, &value))
        }
    }

    /// The TPM's name of an object: a digest of its public area.
    func name(of handle: UInt32) throws(TPMFailure) -> [UInt8] {
        var name: UnsafeMutablePointer<TPM2B_NAME>?
        try check(unsafe Esys_TR_GetName(context, handle, &name))
        return unsafe try take(name) { $0.bytes }
    }

    /// TPM2_HMAC with SHA-256.
    func hmac(_ message: [UInt8], with key: UInt32) throws(TPMFailure) -> SecretBytes {
        let shandle = try session(.both)
        var message = try TPM2B_MAX_BUFFER(message.span)
        var digest: UnsafeMutablePointer<TPM2B_DIGEST>?
        try run(
            {
                unsafe Esys_HMAC_Async(
                    context, key, shandle, ESYS_TR_NONE, ESYS_TR_NONE, &message, alg(TPM2_ALG_SHA256))
            }, { unsafe Esys_HMAC_Finish(context, &digest) })
        return unsafe try take(digest) { $0.withSpan { SecretBytes(copying: $0) } }
    }

    /// TPM2_Unseal.
    func unseal(_ handle: UInt32) throws(TPMFailure) -> SecretBytes {
        let shandle = try session(.response)
        var data: UnsafeMutablePointer<TPM2B_SENSITIVE_DATA>?
        try run(
            { unsafe Esys_Unseal_Async(context, handle, shandle, ESYS_TR_NONE, ESYS_TR_NONE) },
            { unsafe Esys_Unseal_Finish(context, &data) })
        return unsafe try take(data) { $0.withSpan { SecretBytes(copying: $0) } }
    }

    /// TPM2_Sign: ECDSA over 32 bytes.
    ///
    /// - Returns: r ‖ s, 64 bytes.
    func sign(_ digest: [UInt8], with key: UInt32) throws(TPMFailure) -> [UInt8] {
        let shandle = try session(.request)
        var (digest, scheme, ticket) = (try TPM2B_DIGEST(digest.span), TPMT_SIG_SCHEME(), TPMT_TK_HASHCHECK())
        scheme.scheme = alg(TPM2_ALG_ECDSA)
        unsafe scheme.details.ecdsa.hashAlg = alg(TPM2_ALG_SHA256)
        // No ticket: the key signs whatever has the size of a digest.
        (ticket.tag, ticket.hierarchy) = (0x8024, 0x4000_0007)
        var signature: UnsafeMutablePointer<TPMT_SIGNATURE>?
        try run(
            {
                unsafe Esys_Sign_Async(
                    context, key, shandle, ESYS_TR_NONE, ESYS_TR_NONE, &digest, &scheme, &ticket)
            }, { unsafe Esys_Sign_Finish(context, &signature) })
        return unsafe try take(signature) { $0.numbers }
    }

    /// TPM2_ECDH_ZGen: the X coordinate of the shared point, 32 bytes.
    ///
    /// - Parameter point: 04 ‖ X ‖ Y, 65 bytes.
    func agree(with point: [UInt8], using key: UInt32) throws(TPMFailure) -> SecretBytes {
        guard point.count == 65, point[0] == 4 else { throw .response(ResponseCode.eccPoint) }
        let shandle = try session(.both)
        var peer = TPM2B_ECC_POINT()
        try peer.point.x.fill(point.span.extracting(1..<33))
        try peer.point.y.fill(point.span.extracting(33...))
        var shared: UnsafeMutablePointer<TPM2B_ECC_POINT>?
        try run(
            { unsafe Esys_ECDH_ZGen_Async(context, key, shandle, ESYS_TR_NONE, ESYS_TR_NONE, &peer) },
            { unsafe Esys_ECDH_ZGen_Finish(context, &shared) })
        return unsafe try take(shared) { point in point.point.x.withSpan { SecretBytes(leftPadding: $0, to: 32) } }
    }
}

extension TPMT_SIGNATURE {
    /// r ‖ s of an ECDSA signature on P-256.
    var numbers: [UInt8] {
        unsafe signature.ecdsa.signatureR.bytes.leftPadded(to: 32) + signature.ecdsa.signatureS.bytes.leftPadded(to: 32)
    }
}

extension SecretBytes {
    /// A number in `size` bytes, most significant first.
    convenience init(leftPadding number: Span<UInt8>, to size: Int) {
        self.init(count: size)
        withMutableSpan { target in
            let count = min(number.count, size)
            for index in 0..<count { target[size - count + index] = number[number.count - count + index] }
        }
    }
}
