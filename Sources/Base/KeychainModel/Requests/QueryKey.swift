/// The keys of a query dictionary that are not attributes (rule queries.keys.dispatch): for matching, results, options
/// and values.
package final class QueryKey: Sendable {
    package let code: String
    package let constant: String
    package let role: Role
    /// Whether the key restricts a search beyond the attributes of items.
    let isMatch: Bool

    private init(code: String, constant: String, role: Role) {
        (self.code, self.constant, self.role) = (code, constant, role)
        isMatch = code.hasPrefix("m_")
    }

    package enum Role: Sendable {
        case itemClass
        case matchLimit
        /// Applies to certificates; other classes have nothing to match.
        case matchCertificate
        case matchHost
        /// Recorded without effect, as in Apple's engine.
        case matchIgnored
        case returnFlag(ReturnFlags)
        case valueData
        case valueReference
        case persistentReference
        case authenticationUI
        case noAuthenticationUI
        /// The text of the prompt. It travels next to the request, not in it.
        case operationPrompt
        /// An object that only the program's own process knows. It travels next to the request as the value that it
        /// stands for.
        case authenticationContext
        /// The keychains that are searched. The program's own process sends the request to them.
        case searchList
        /// The keychain to which an add goes.
        case keychain
        case useTombstones
        /// An extension of this project: adds or updates in one step.
        case updateExisting
        /// Accepted in a search; an add has nothing to search.
        case useItemList
        /// Accepted: it controls something that this request does not do.
        case useAccepted
        /// Only Apple's own programs may use it.
        case useRestricted
    }

    /// The rows in a fixed order, because frames name match keys by their place here.
    package static let rows: [QueryKey] = [
        .init(code: "class", constant: "kSecClass", role: .itemClass),
        .init(code: "m_Limit", constant: "kSecMatchLimit", role: .matchLimit),
        .init(code: "m_Policy", constant: "kSecMatchPolicy", role: .matchCertificate),
        .init(code: "m_Issuers", constant: "kSecMatchIssuers", role: .matchCertificate),
        .init(code: "m_EmailAddressIfPresent", constant: "kSecMatchEmailAddressIfPresent", role: .matchCertificate),
        .init(code: "m_TrustedOnly", constant: "kSecMatchTrustedOnly", role: .matchCertificate),
        .init(code: "m_ValidOnDate", constant: "kSecMatchValidOnDate", role: .matchCertificate),
        .init(code: "m_HostOrSubdomainOfHost", constant: "kSecMatchHostOrSubdomainOfHost", role: .matchHost),
        .init(code: "m_ItemList", constant: "kSecMatchItemList", role: .matchIgnored),
        .init(code: "m_SearchList", constant: "kSecMatchSearchList", role: .searchList),
        .init(code: "m_SubjectContains", constant: "kSecMatchSubjectContains", role: .matchIgnored),
        .init(code: "m_SubjectStartsWith", constant: "kSecMatchSubjectStartsWith", role: .matchIgnored),
        .init(code: "m_SubjectEndsWith", constant: "kSecMatchSubjectEndsWith", role: .matchIgnored),
        .init(code: "m_SubjectWholeString", constant: "kSecMatchSubjectWholeString", role: .matchIgnored),
        .init(code: "m_CaseInsensitive", constant: "kSecMatchCaseInsensitive", role: .matchIgnored),
        .init(code: "m_DiacriticInsensitive", constant: "kSecMatchDiacriticInsensitive", role: .matchIgnored),
        .init(code: "m_WidthInsensitive", constant: "kSecMatchWidthInsensitive", role: .matchIgnored),
        .init(code: "m_", constant: "another match key", role: .matchIgnored),
        .init(code: "r_Data", constant: "kSecReturnData", role: .returnFlag(.data)),
        .init(code: "r_Attributes", constant: "kSecReturnAttributes", role: .returnFlag(.attributes)),
        .init(code: "r_Ref", constant: "kSecReturnRef", role: .returnFlag(.reference)),
        .init(code: "r_PersistentRef", constant: "kSecReturnPersistentRef", role: .returnFlag(.persistentReference)),
        .init(code: "v_Data", constant: "kSecValueData", role: .valueData),
        .init(code: "v_Ref", constant: "kSecValueRef", role: .valueReference),
        .init(code: "v_PersistentRef", constant: "kSecValuePersistentRef", role: .persistentReference),
        .init(code: "u_AuthUI", constant: "kSecUseAuthenticationUI", role: .authenticationUI),
        .init(code: "u_NoAuthUI", constant: "kSecUseNoAuthenticationUI", role: .noAuthenticationUI),
        .init(code: "u_OpPrompt", constant: "kSecUseOperationPrompt", role: .operationPrompt),
        .init(code: "u_AuthCtx", constant: "kSecUseAuthenticationContext", role: .authenticationContext),
        .init(code: "u_Keychain", constant: "kSecUseKeychain", role: .keychain),
        .init(code: "u_ItemList", constant: "kSecUseItemList", role: .useItemList),
        .init(code: "u_CallerName", constant: "kSecUseCallerName", role: .useAccepted),
        .init(code: "u_Tomb", constant: "kSecUseTombstones", role: .useTombstones),
        .init(code: "u_CredRef", constant: "kSecUseCredentialReference", role: .useRestricted),
        .init(code: "u_TokenRawItems", constant: "kSecUseTokenRawItems", role: .useRestricted),
        .init(code: "u_CertWithIssuers", constant: "kSecUseCertificatesWithMatchIssuers", role: .useRestricted),
        .init(code: "u_SystemKeychain", constant: "kSecUseSystemKeychain", role: .useRestricted),
        .init(code: "u_SystemKeychainAlways", constant: "kSecUseSystemKeychainAlways", role: .useRestricted),
        .init(code: "u_SyncBubbleKeychain", constant: "kSecUseSyncBubbleKeychain", role: .useRestricted),
        .init(code: "u_UserIndependentKeychain", constant: "kSecUseUserIndependentKeychain", role: .useRestricted),
        .init(code: "u_UpdateExisting", constant: "kSecUseUpdateExisting", role: .updateExisting),
    ]

    /// The row for a key that is in none of the others. All unknown match keys share one row; no other unknown key has
    /// one.
    static func find(_ code: String) -> Int? {
        code.hasPrefix("m") ? rows.firstIndex { $0.code == "m_" } : nil
    }

    /// The key that a constant stands for, attribute or not.
    package static func key(ofConstant name: String) -> String? {
        AttributeTable.attribute(constant: name)?.code ?? rows.first { $0.constant == name }?.code
    }
}

/// The results that a query asks for.
@usableFromInline package struct ReturnFlags: OptionSet, Hashable, Sendable {
    @usableFromInline package let rawValue: UInt8
    @inlinable package init(rawValue: UInt8) { self.rawValue = rawValue }
    /// Whether nothing is requested. The general implementation for sets costs a call of the runtime.
    @inlinable package var isEmpty: Bool { rawValue == 0 }

    package static let data = Self(rawValue: 1)
    package static let attributes = Self(rawValue: 2)
    package static let reference = Self(rawValue: 4)
    package static let persistentReference = Self(rawValue: 8)

    /// Whether the response contains the attributes of items of a class. A password's reference is made of its
    /// attributes (rule results.reference.password). Another item's reference is made of its attributes and its value.
    package func needAttributes(of itemClass: ItemClass) -> Bool {
        contains(.attributes) || contains(.reference) && (self != .reference || !itemClass.isPassword)
    }

    /// Whether the response contains the value of items of a class.
    package func needValue(of itemClass: ItemClass) -> Bool {
        contains(.data) || contains(.reference) && !itemClass.isPassword
    }
}
