public import Foundation

/// An exception of Objective-C. Nothing on Linux can catch one: raising it ends the program.
open class NSException: NSObject {
    /// The kind of the exception.
    public let name: NSExceptionName
    /// The reason of the exception.
    public let reason: String?
    /// Further information.
    public let userInfo: [AnyHashable: Any]?

    /// Makes an exception.
    public init(name: NSExceptionName, reason: String?, userInfo: [AnyHashable: Any]? = nil) {
        self.name = name
        self.reason = reason
        self.userInfo = userInfo
    }

    /// Ends the program and says why.
    open func raise() -> Never { fatalError("\(name.rawValue): \(reason ?? "")") }
}

extension NSExceptionName {
    /// Any exception.
    public static let genericException = NSExceptionName(rawValue: "NSGenericException")
    /// An invalid argument.
    public static let invalidArgumentException = NSExceptionName(rawValue: "NSInvalidArgumentException")
    /// An inconsistent state.
    public static let internalInconsistencyException = NSExceptionName(rawValue: "NSInternalInconsistencyException")
    /// An index beyond the end.
    public static let rangeException = NSExceptionName(rawValue: "NSRangeException")
}
