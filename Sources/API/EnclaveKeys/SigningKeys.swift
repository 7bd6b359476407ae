public import Foundation
public import LocalAuthentication
public import Security

extension SecureEnclave.P256.Signing {
    /// A signing key in the enclave.
    public struct PrivateKey: Sendable {
        private let key: EnclaveKey

        /// Makes a key.
        ///
        /// - Parameter accessControl: the conditions of its use; it must include `privateKeyUsage`. Without one the key
        ///   can be used while the device is unlocked.
        /// - Throws: ``EnclaveKeyError``, as `SecKeyCreateRandomKey` refuses.
        @available(*, noasync, message: "await the key in asynchronous code")
        public init(accessControl: SecAccessControl? = nil) throws(EnclaveKeyError) {
            key = try EnclaveKey(accessControl: accessControl)
        }

        /// Makes a handle to a key that was made before.
        ///
        /// - Parameter dataRepresentation: the ``dataRepresentation`` of the key. Another device's is accepted,
        ///   but cannot be used.
        /// - Throws: ``EnclaveKeyError`` with `errSecParam` for anything that is not a key of an enclave.
        public init(dataRepresentation: Data) throws(EnclaveKeyError) {
            key = try EnclaveKey(dataRepresentation: dataRepresentation)
        }

        /// Makes a key, as the synchronous initialiser does.
        public init(accessControl: SecAccessControl? = nil) async throws(EnclaveKeyError) {
            key = try await awaiting { () throws(EnclaveKeyError) in try EnclaveKey(accessControl: accessControl) }
        }

        /// Makes a key that is used in a context. Authentication in the context spares the prompt that the access
        /// control would require.
        ///
        /// - Throws: ``EnclaveKeyError``, as the initialiser without a context, and `errSecAuthFailed` for an
        ///   invalidated context.
        @available(*, noasync, message: "await the key in asynchronous code")
        public init(
            accessControl: SecAccessControl? = nil, authenticationContext: LAContext?
        ) throws(EnclaveKeyError) {
            key = try EnclaveKey(accessControl: accessControl, context: authenticationContext)
        }

        /// Makes a key that is used in a context, as the synchronous initialiser does.
        public init(
            accessControl: SecAccessControl? = nil, authenticationContext: LAContext?
        ) async throws(EnclaveKeyError) {
            key = try await awaiting { () throws(EnclaveKeyError) in
                try EnclaveKey(accessControl: accessControl, context: authenticationContext)
            }
        }

        /// Makes a handle to a key that was made before, for use in a context.
        ///
        /// - Parameters:
        ///   - dataRepresentation: the ``dataRepresentation`` of the key.
        ///   - authenticationContext: authentication in it spares the prompt that the key's access control would
        ///     require.
        /// - Throws: ``EnclaveKeyError`` with `errSecParam` for anything that is not a key of an enclave.
        public init(dataRepresentation: Data, authenticationContext: LAContext?) throws(EnclaveKeyError) {
            key = try EnclaveKey(dataRepresentation: dataRepresentation, context: authenticationContext)
        }

        /// The key, encrypted for this device's enclave and bound to this program's access group. It cannot be used
        /// elsewhere.
        public var dataRepresentation: Data { key.dataRepresentation }

        /// The public half, which verifies the signatures of this key.
        public var publicKey: PublicKey { PublicKey(point: key.publicPoint) }

        /// Signs the SHA-256 of a message.
        ///
        /// - Throws: ``EnclaveKeyError``: `errSecInteractionNotAllowed` while the key's protection class is locked or
        ///   its access control is not satisfied.
        @available(*, noasync, message: "await the signature in asynchronous code")
        public func signature(for message: some DataProtocol) throws(EnclaveKeyError) -> ECDSASignature {
            try sign(Data(message))
        }

        /// Signs the SHA-256 of a message, as the synchronous function does.
        public func signature(for message: some DataProtocol) async throws(EnclaveKeyError) -> ECDSASignature {
            let bytes = Data(message)
            return try await awaiting { () throws(EnclaveKeyError) in try sign(bytes) }
        }

        private func sign(_ message: Data) throws(EnclaveKeyError) -> ECDSASignature {
            let signature = try unsafe calling {
                unsafe SecKeyCreateSignature(key.key, .ecdsaSignatureMessageRFC4754SHA256, message as NSData, $0)
            }
            return try ECDSASignature(rawRepresentation: signature as Data)
        }
    }

    /// A key that verifies signatures.
    public struct PublicKey: P256PublicKey {
        /// The point on the curve: 0x04 ‖ X ‖ Y.
        public let x963Representation: Data

        init(point: Data) { x963Representation = point }

        /// Reads a point: 65 bytes, 0x04 ‖ X ‖ Y.
        ///
        /// - Throws: ``EnclaveKeyError`` with `errSecParam` for anything that is not a point on the curve.
        public init(x963Representation: some DataProtocol) throws(EnclaveKeyError) {
            self.x963Representation = try Self.checked(Data(x963Representation))
        }

        /// Returns whether a signature is this key's over the SHA-256 of a message.
        public func isValidSignature(_ signature: ECDSASignature, for message: some DataProtocol) -> Bool {
            guard let key = try? Self.reference(to: x963Representation) else { return false }
            return SecKeyVerifySignature(
                key, .ecdsaSignatureMessageRFC4754SHA256, Data(message) as NSData,
                signature.rawRepresentation as NSData, nil)
        }
    }
}
