// On Apple systems `import LocalAuthentication` also imports both of these; programs rely on that.
@_exported public import Foundation
@_exported public import Security
