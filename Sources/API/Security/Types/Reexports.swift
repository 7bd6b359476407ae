// On Apple systems `import Security` also imports all three of these; programs rely on that.
@_exported public import CoreFoundation
@_exported public import Dispatch
@_exported public import Foundation
