/// The classes of protection: when the key of a file is given out.
package enum FileProtection: UInt8, CaseIterable, Sendable {
    case complete = 1
    case completeUnlessOpen = 2
    case completeUntilFirstUserAuthentication = 3
    case none = 4
}
