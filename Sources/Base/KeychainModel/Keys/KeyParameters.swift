/// What a key exchange or an encryption is given besides its input (semantics F.3).
package struct KeyParameters: Hashable, Sendable {
    /// How many bytes the key derivation makes; needed by every exchange that has one, and by no other algorithm.
    package var requestedSize: Int?
    /// What both sides know and bind into the derived key; empty unless given.
    package var sharedInfo: [UInt8]

    /// More is no key: a bound for what one call can make a peer compute.
    package static let mostRequestedBytes = 65536
    /// As long as a certificate may be, and longer than any identifier that is bound in.
    package static let mostSharedInfoBytes = 65536

    package init(requestedSize: Int? = nil, sharedInfo: [UInt8] = []) {
        self.requestedSize = requestedSize
        self.sharedInfo = sharedInfo
    }
}
