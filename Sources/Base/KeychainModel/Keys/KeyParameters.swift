/// The parameters of a key exchange or an encryption (rule keys.algorithm.parameters).
package struct KeyParameters: Hashable, Sendable {
    /// The number of bytes that the key derivation makes. Every exchange with a derivation needs it, and no other
    /// algorithm takes it.
    package var requestedSize: Int?
    /// Data that both sides bind into the derived key; empty by default.
    package var sharedInfo: [UInt8]

    /// Longer outputs are not keys. The limit bounds what one call can make a peer compute.
    package static let mostRequestedBytes = 65536
    /// The length of the longest certificate, which is longer than any identifier.
    package static let mostSharedInfoBytes = 65536

    package init(requestedSize: Int? = nil, sharedInfo: [UInt8] = []) {
        self.requestedSize = requestedSize
        self.sharedInfo = sharedInfo
    }
}
