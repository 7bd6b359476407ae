public import Foundation
public import LocalAuthentication
public import Security

extension SecureEnclave.P256.Signing {
    /// A signing key in the enclave.
    public struct PrivateKey: Sendable {
        private let key: EnclaveKey

        /// Makes a key.
        ///
        /// - Parameter accessControl: who may use it, and when; it must include `privateKeyUsage`. Without one the key
        ///   can be used whenever the device is unlocked.
        /// - Throws: ``EnclaveKeyError``, as `SecKeyCreateRandomKey` refuses.
        @available(*, noasync, message: "await the key in asynchronous code")
        public init(accessControl: SecAccessControl? = nil) throws(EnclaveKeyError) {
            key = try EnclaveKey(accessControl: accessControl)
        }

        /// Takes up a key again.
        ///
        /// - Parameter dataRepresentation: what ``dataRepresentation`` was. Another device's is taken, but cannot be
        ///   used.
        /// - Throws: ``EnclaveKeyError`` with `errSecParam` for anything that is not a key of an enclave.
        public init(dataRepresentation: Data) throws(EnclaveKeyError) {
            key = try EnclaveKey(dataRepresentation: dataRepresentation)
        }

        /// Makes a key, as the synchronous initialiser does.
        public init(accessControl: SecAccessControl? = nil) async throws(EnclaveKeyError) {
            key = try await awaiting { () throws(EnclaveKeyError) in try EnclaveKey(accessControl: accessControl) }
        }

        /// Makes a key that is used in a context: what was shown in it spares the prompt that the access control
        /// would ask for.
        ///
        /// - Throws: ``EnclaveKeyError``, as the initialiser without a context, and `errSecAuthFailed` for one that
        ///   was invalidated.
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

        /// Takes up a key again, to be used in a context.
        ///
        /// - Parameters:
        ///   - dataRepresentation: what ``dataRepresentation`` was.
        ///   - authenticationContext: what was shown in it spares the prompt that the key's access control would ask
        ///     for.
        /// - Throws: ``EnclaveKeyError`` with `errSecParam` for anything that is not a key of an enclave.
        public init(dataRepresentation: Data, authenticationContext: LAContext?) throws(EnclaveKeyError) {
            key = try EnclaveKey(dataRepresentation: dataRepresentation, context: authenticationContext)
        }

        /// The key, encrypted for this device's enclave and bound to this program's access group. It is of no use
        /// elsewhere.
        public var dataRepresentation: Data { key.dataRepresentation }

        /// The key that verifies what this one signs.
        public var publicKey: PublicKey { PublicKey(point: key.publicPoint) }

        /// Signs the SHA-256 of a message.
        ///
        /// - Throws: ``EnclaveKeyError``: `errSecInteractionNotAllowed` while the key's protection class is closed or
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
