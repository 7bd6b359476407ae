internal import KeychainModel
internal import LinuxSystem

/// A key of the dictionary that a key exchange is given.
public struct SecKeyKeyExchangeParameter: RawRepresentable, Hashable, Sendable {
    let name: String

    /// The key.
    public var rawValue: CFString { NSString(string: name) }

    /// Makes a parameter of a key.
    public init(rawValue: CFString) { name = String(describing: rawValue) }

    /// Makes a parameter of a key.
    public init(_ rawValue: CFString) { self.init(rawValue: rawValue) }

    private init(name: String) { self.name = name }

    /// How many bytes the key derivation makes, a number.
    public static let requestedSize = Self(name: "requestedSize")
    /// What is bound into the derived key, data; empty unless given.
    public static let sharedInfo = Self(name: "sharedInfo")
}

/// How many bytes the key derivation makes, a number.
public let kSecKeyKeyExchangeParameterRequestedSize = SecKeyKeyExchangeParameter.requestedSize
/// What is bound into the derived key, data; empty unless given.
public let kSecKeyKeyExchangeParameterSharedInfo = SecKeyKeyExchangeParameter.sharedInfo

extension KeyParameters {
    /// Reads a program's dictionary. Keys may be strings or the constants themselves, which are objects of no kind
    /// here.
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
