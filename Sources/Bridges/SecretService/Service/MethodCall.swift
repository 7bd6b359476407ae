import KeychainModel
import Systemd

/// A call with its arguments.
struct MethodCall {
    let client: String
    let path: String
    let object: SecretObject
    let arguments: [BusValue]

    init(_ call: BusCall, _ object: SecretObject, _ arguments: [BusValue]) {
        (client, path, self.object, self.arguments) = (call.client, call.path, object, arguments)
    }

    /// The signature was checked, so a text is there.
    func text(_ index: Int) -> String { arguments[index].string ?? "" }

    func flag(_ index: Int) -> Bool { arguments[index].bool ?? false }

    /// The most objects that a call may name.
    private static let mostPaths = 100_000

    /// The paths of a list, each once, in their order.
    ///
    /// - Throws: `LimitsExceeded` for too many.
    func paths(_ index: Int) throws(BusFailure) -> [String] {
        let paths = (arguments[index].elements ?? []).compactMap(\.string)
        guard paths.count <= Self.mostPaths else {
            throw BusFailure(.limitsExceeded, "A call may name \(Self.mostPaths) objects. Name them in several calls.")
        }
        var seen: Set<String> = []
        return paths.filter { seen.insert($0).inserted }
    }

    /// The values of a dictionary of properties.
    ///
    /// - Throws: `InvalidArgs` for more than any object has.
    func properties(_ index: Int) throws(BusFailure) -> [String: BusValue] {
        guard arguments[index].count <= SecretProperty.all.count else {
            throw .invalid("No object has so many properties.")
        }
        return (arguments[index].entries ?? [:]).compactMapValues(\.content)
    }

    /// The attributes that a search is for.
    ///
    /// - Throws: `LimitsExceeded` for more than any item has.
    func pairs(_ index: Int) throws(BusFailure) -> LookupAttributes.Pairs {
        guard arguments[index].count <= LookupAttributes.mostPairs else { throw .tooManyAttributes }
        return try arguments[index].pairs() ?? [:]
    }
}

extension BusValue {
    /// The entries of a dictionary; none in another value.
    fileprivate var count: Int { if case .dictionary(_, _, let entries) = self { entries.count } else { 0 } }

    /// The attributes of an item: a dictionary of texts.
    ///
    /// - Throws: `LimitsExceeded` for more than any item has, its schema among them, before they are looked at.
    func pairs() throws(BusFailure) -> LookupAttributes.Pairs? {
        guard count <= LookupAttributes.mostPairs + 1 else { throw .tooManyAttributes }
        guard let entries = textEntries else { return nil }
        let pairs = entries.map { (ExactText($0.name), ExactText($0.value)) }
        return Dictionary(pairs, uniquingKeysWith: { _, last in last })
    }

    static func pairs(_ pairs: LookupAttributes.Pairs) -> BusValue {
        .texts(pairs.sorted { $0.key < $1.key }.map { ($0.key.text, $0.value.text) })
    }
}
