// All modules with Apple's names. A dependent renames them in its build through this one target: SwiftPM passes a name
// only to the direct dependencies of a product's target.
@_exported public import CommonCrypto
@_exported public import CoreFoundation
@_exported public import LocalAuthentication
@_exported public import Security
