// On Apple systems `import CoreFoundation` brings much of the system along; programs rely on Foundation and Dispatch.
@_exported public import Dispatch
@_exported public import Foundation
