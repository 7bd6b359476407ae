public import Foundation
public import LocalAuthentication
public import Security

extension SecureEnclave.P256.KeyAgreement {
    /// A key in the enclave that agrees on secrets.
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

        /// Makes a key, as the synchronous initialiser does.
        public init(accessControl: SecAccessControl? = nil) async throws(EnclaveKeyError) {
            key = try await awaiting { () throws(EnclaveKeyError) in try EnclaveKey(accessControl: accessControl) }
        }

        /// Makes a handle to a key that was made before.
        ///
        /// - Parameter dataRepresentation: the ``dataRepresentation`` of the key. Another device's is accepted,
        ///   but cannot be used.
        /// - Throws: ``EnclaveKeyError`` with `errSecParam` for anything that is not a key of an enclave.
        public init(dataRepresentation: Data) throws(EnclaveKeyError) {
            key = try EnclaveKey(dataRepresentation: dataRepresentation)
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

        /// The public half, which the other side needs to agree on a secret with this key.
        public var publicKey: PublicKey { PublicKey(point: key.publicPoint) }

        /// Computes the secret that this key and another public key share.
        ///
        /// - Throws: ``EnclaveKeyError``: `errSecInteractionNotAllowed` while the key's protection class is locked or
        ///   its access control is not satisfied.
        @available(*, noasync, message: "await the secret in asynchronous code")
        public func sharedSecretFromKeyAgreement(with peer: PublicKey) throws(EnclaveKeyError) -> SharedSecret {
            try agree(with: peer)
        }

        /// Computes the shared secret, as the synchronous function does.
        public func sharedSecretFromKeyAgreement(with peer: PublicKey) async throws(EnclaveKeyError) -> SharedSecret {
            try await awaiting { () throws(EnclaveKeyError) in try agree(with: peer) }
        }

        private func agree(with peer: PublicKey) throws(EnclaveKeyError) -> SharedSecret {
            let other = try PublicKey.reference(to: peer.x963Representation)
            let secret = try unsafe calling {
                unsafe SecKeyCopyKeyExchangeResult(key.key, .ecdhKeyExchangeStandard, other, NSDictionary(), $0)
            }
            return SharedSecret(secret as Data)
        }
    }

    /// The public half of an agreement key, of this or another device.
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
    }
}
