// On Apple systems `import Security` brings Foundation and Dispatch along; programs rely on it.
@_exported public import Dispatch
@_exported public import Foundation
