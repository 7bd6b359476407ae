// On Apple systems `import Security` brings all three along; programs rely on it.
@_exported public import CoreFoundation
@_exported public import Dispatch
@_exported public import Foundation
