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
    func properties(_ index: Int) -> [String: BusValue] {
        (arguments[index].entries ?? [:]).compactMapValues(\.content)
    }

    /// The attributes of a dictionary of texts.
    func pairs(_ index: Int) -> LookupAttributes.Pairs { arguments[index].pairs ?? [:] }
}

extension BusValue {
    /// The attributes of an item: a dictionary of texts.
    var pairs: LookupAttributes.Pairs? {
        textEntries.map { entries in
            Dictionary(entries.map { (ExactText($0.name), ExactText($0.value)) }, uniquingKeysWith: { _, last in last })
        }
    }

    static func pairs(_ pairs: LookupAttributes.Pairs) -> BusValue {
        .texts(pairs.sorted { $0.key < $1.key }.map { ($0.key.text, $0.value.text) })
    }
}
