internal import KeychainModel
internal import LinuxSystem

/// A key in the dictionary of parameters for a key exchange. Source: Apple, `SecKeyKeyExchangeParameter`.
public struct SecKeyKeyExchangeParameter: RawRepresentable, Hashable, Sendable {
    let name: String

    /// The key.
    public var rawValue: CFString { NSString(string: name) }

    /// Makes a parameter of a key.
    public init(rawValue: CFString) { name = String(describing: rawValue) }

    /// Makes a parameter of a key.
    public init(_ rawValue: CFString) { self.init(rawValue: rawValue) }

    private init(name: String) { self.name = name }

    /// The size of the derived key in bytes, a number.
    public static let requestedSize = Self(name: "requestedSize")
    /// Data that is bound into the derived key; empty by default.
    public static let sharedInfo = Self(name: "sharedInfo")
}

/// The size of the derived key in bytes, a number.
public let kSecKeyKeyExchangeParameterRequestedSize = SecKeyKeyExchangeParameter.requestedSize
/// Data that is bound into the derived key; empty by default.
public let kSecKeyKeyExchangeParameterSharedInfo = SecKeyKeyExchangeParameter.sharedInfo

extension KeyParameters {
    /// Reads a program's dictionary. Its keys may be strings or the constants, which are plain objects here.
    ///
    /// - Throws: `Refusal` with −50 for a key that is no parameter, or a value of another type.
    init(_ dictionary: NSDictionary) throws(Refusal) {
        self.init()
        for (key, value) in dictionary {
            let name = (key as? SecKeyKeyExchangeParameter)?.name ?? String(describing: key)
            switch (name, value) {
            case (SecKeyKeyExchangeParameter.requestedSize.name, let size as NSNumber): requestedSize = size.intValue
            case (SecKeyKeyExchangeParameter.sharedInfo.name, let info as NSData):
                sharedInfo = info.withSpan { $0.array(0, $0.count) }
            default:
                throw Refusal(
                    .param, .keyParameter, name,
                    "This is no parameter of a key exchange, or has a value of another type.",
                    do: "Give requestedSize as a number and sharedInfo as data.")
            }
        }
    }
}
