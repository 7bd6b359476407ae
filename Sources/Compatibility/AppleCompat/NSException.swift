public import Foundation

/// An exception of Objective-C. Nothing on Linux can catch one: raising it ends the program.
open class NSException: NSObject {
    /// What kind it is of.
    public let name: NSExceptionName
    /// What has happened.
    public let reason: String?
    /// What else there is to know.
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
    /// An argument that means nothing.
    public static let invalidArgumentException = NSExceptionName(rawValue: "NSInvalidArgumentException")
    /// A state that must not be.
    public static let internalInconsistencyException = NSExceptionName(rawValue: "NSInternalInconsistencyException")
    /// An index beyond the end.
    public static let rangeException = NSExceptionName(rawValue: "NSRangeException")
}
