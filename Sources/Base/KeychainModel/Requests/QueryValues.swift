/// Reads the values of keys that are not attributes.
extension ItemRequestBuilder {
    static func itemClass(_ raw: RawValue) throws(Refusal) -> ItemClass {
        guard case .string(let code) = raw else { throw .unknownClass(raw.kindName, hint: nil) }
        if let found = ItemClass(code: code) { return found }
        throw .unknownClass("\"\(code)\"", hint: ItemClass.allCases.first { $0.constant == code }?.constant)
    }

    static func limit(_ raw: RawValue) throws(Refusal) -> ItemRequest.Limit {
        switch raw {
        case .string("m_LimitOne"), .number(1): return .one
        case .string("m_LimitAll"): return .all
        case .number(let number) where number > 1: return .atMost(UInt32(clamping: number))
        default:
            throw Refusal(
                .param, .wrongValue, "m_Limit", "kSecMatchLimit cannot be \(raw.kindName) of this value.",
                do: "Use kSecMatchLimitOne, kSecMatchLimitAll or a number from 1.")
        }
    }

    static func authenticationUI(_ raw: RawValue) throws(Refusal) -> ItemRequest.AuthenticationUI {
        switch raw {
        case .string("u_AuthUIA"): return .allow
        case .string("u_AuthUIF"): return .fail
        case .string("u_AuthUIS"): return .skip
        default:
            throw Refusal(
                .param, .wrongValue, "u_AuthUI", "kSecUseAuthenticationUI has an unknown value.",
                do: "Use kSecUseAuthenticationUIAllow, kSecUseAuthenticationUIFail or kSecUseAuthenticationUISkip.")
        }
    }

    static func boolean(_ key: QueryKey, _ raw: RawValue) throws(Refusal) -> Bool {
        guard case .boolean(let flag) = raw else { throw .wrongType(key, raw, "a boolean") }
        return flag
    }

    static func string(_ key: QueryKey, _ raw: RawValue) throws(Refusal) -> String {
        guard case .string(let text) = raw else { throw .wrongType(key, raw, "a string") }
        return text
    }

    static func data(_ key: QueryKey, _ raw: RawValue) throws(Refusal) -> [UInt8] {
        guard case .data(let bytes) = raw else { throw .wrongType(key, raw, "data") }
        return bytes
    }
}
