/// An operation with a key. The raw value is that of `SecKeyOperationType` (rule keys.algorithm.supported).
package enum KeyOperation: UInt8, CaseIterable, Sendable {
    case sign = 0
    case verify = 1
    case encrypt = 2
    case decrypt = 3
    case keyExchange = 4

    /// Whether it needs the private key.
    package var needsPrivateKey: Bool { self == .sign || self == .decrypt || self == .keyExchange }
}
