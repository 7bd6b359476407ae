internal import Foundation

/// The coding of values. Text and data stay as they are, so that other programs can read them; other types become JSON.
enum ValueCoding {
    static func encode<Value: Encodable>(_ value: Value, for account: String) throws(KeychainError) -> Data {
        switch value {
        case let data as Data: return data
        case let text as String: return Data(text.utf8)
        default: break
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        do { return try encoder.encode(value) } catch {
            throw .unencodable(account: account, type: "\(Value.self)", reason: reason(error))
        }
    }

    static func decode<Value: Decodable>(
        _ type: Value.Type, from data: Data, for account: String
    ) throws(KeychainError) -> Value {
        if let data = data as? Value { return data }
        if type == String.self {
            guard let text = String(data: data, encoding: .utf8) as? Value else {
                throw .undecodable(account: account, type: "String", reason: "it is not UTF-8.")
            }
            return text
        }
        do { return try JSONDecoder().decode(type, from: data) } catch {
            throw .undecodable(account: account, type: "\(type)", reason: reason(error))
        }
    }

    /// Errors of coders in this module's words: the coder's own text may quote the secret.
    private static func reason(_ error: any Error) -> String {
        switch error {
        case DecodingError.keyNotFound(let key, let context):
            "the field \(path(context.codingPath + [key])) is missing."
        case DecodingError.typeMismatch(let type, let context):
            "\(path(context.codingPath)) is no \(type)."
        case DecodingError.valueNotFound(_, let context): "\(path(context.codingPath)) is null."
        case DecodingError.dataCorrupted(let context) where !context.codingPath.isEmpty:
            "\(path(context.codingPath)) has a value it cannot have."
        case DecodingError.dataCorrupted: "it is not JSON."
        case EncodingError.invalidValue(_, let context): "\(path(context.codingPath)) cannot be written as JSON."
        default: "it cannot be converted."
        }
    }

    private static func path(_ keys: [any CodingKey]) -> String {
        keys.isEmpty ? "the whole" : keys.map(\.stringValue).joined(separator: ".")
    }
}
