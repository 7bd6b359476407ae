/// The answer to a call.
package enum BusAnswer {
    case values([BusValue])
    /// Other clients are served between the steps.
    case steps(Step)

    /// Goes on with the work, and gives the answer with its end.
    package typealias Step = () throws(BusFailure) -> [BusValue]?
}

/// A call to one of the objects that a program offers.
package struct BusCall {
    /// The unique name of the client.
    package let client: String
    package let path: String
    package let interface: String
    package let member: String
    private let signature: String
    /// Nil where they cannot be read.
    private let values: [BusValue]?

    init(_ message: BusMessage, _ values: [BusValue]?) {
        (signature, self.values) = (message.signature, values)
        (client, path) = (message.sender, message.path)
        (interface, member) = (message.interface, message.member)
    }

    /// The arguments, which must have these types.
    ///
    /// - Throws: ``BusFailure`` for others.
    package func arguments(_ signature: String) throws(BusFailure) -> [BusValue] {
        if self.signature == signature, let values { return values }
        throw BusFailure(.invalidArguments, "\(member) takes arguments of the types \"\(signature)\".")
    }
}

/// The error that a caller is told.
package struct BusFailure: Error, Hashable, Sendable {
    /// The name of an error.
    package struct Name: RawRepresentable, Hashable, Sendable {
        package let rawValue: String
        package init(rawValue: String) { self.rawValue = rawValue }

        package static let failed = Name(rawValue: "org.freedesktop.DBus.Error.Failed")
        package static let invalidArguments = Name(rawValue: "org.freedesktop.DBus.Error.InvalidArgs")
        package static let notSupported = Name(rawValue: "org.freedesktop.DBus.Error.NotSupported")
        package static let unknownMethod = Name(rawValue: "org.freedesktop.DBus.Error.UnknownMethod")
        package static let accessDenied = Name(rawValue: "org.freedesktop.DBus.Error.AccessDenied")
        package static let limitsExceeded = Name(rawValue: "org.freedesktop.DBus.Error.LimitsExceeded")
        package static let timeout = Name(rawValue: "org.freedesktop.DBus.Error.Timeout")
    }

    package let name: Name
    package let description: String

    package init(_ name: Name, _ description: String) { (self.name, self.description) = (name, description) }

    static let tooLarge = BusFailure(.limitsExceeded, "The call is too large. Ask for less at once.")

    static let tooManyCalls = BusFailure(
        .limitsExceeded, "The program has too many calls open. Wait for answers.")
}
