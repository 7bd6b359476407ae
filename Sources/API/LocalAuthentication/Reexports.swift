// On Apple systems `import LocalAuthentication` brings both along; programs rely on it.
@_exported public import Foundation
@_exported public import Security
