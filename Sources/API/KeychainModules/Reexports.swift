// All modules that have the names of Apple's. A dependent gives them other names in its build through this one target.
// SwiftPM passes a name on to the targets that a product's target depends on itself, and no further.
@_exported public import CommonCrypto
@_exported public import CoreFoundation
@_exported public import LocalAuthentication
@_exported public import Security
