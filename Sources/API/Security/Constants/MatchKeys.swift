// Keys that narrow a search beyond attributes. Adding refuses every one of them.

// MARK: - Number of results

/// The key of how many results are wanted; one unless given.
@safe nonisolated(unsafe) public let kSecMatchLimit: CFString = "m_Limit"
/// One result, returned as such.
@safe nonisolated(unsafe) public let kSecMatchLimitOne: CFString = "m_LimitOne"
/// All results, returned as an array.
@safe nonisolated(unsafe) public let kSecMatchLimitAll: CFString = "m_LimitAll"

// MARK: - Certificates and identities

/// The key of a policy that the certificate must pass.
@safe nonisolated(unsafe) public let kSecMatchPolicy: CFString = "m_Policy"
/// The key of the issuers one of which must stand in the certificate's chain.
@safe nonisolated(unsafe) public let kSecMatchIssuers: CFString = "m_Issuers"
/// The key of an address the certificate must name, if it names any.
@safe nonisolated(unsafe) public let kSecMatchEmailAddressIfPresent: CFString = "m_EmailAddressIfPresent"
/// The key of whether the certificate must be trusted.
@safe nonisolated(unsafe) public let kSecMatchTrustedOnly: CFString = "m_TrustedOnly"
/// The key of the date the certificate must be valid on; null means now.
@safe nonisolated(unsafe) public let kSecMatchValidOnDate: CFString = "m_ValidOnDate"

// MARK: - Names

/// The key of a host; the server must be it or a subdomain of it.
@safe nonisolated(unsafe) public let kSecMatchHostOrSubdomainOfHost: CFString = "m_HostOrSubdomainOfHost"
/// The key of text the subject must contain.
@safe nonisolated(unsafe) public let kSecMatchSubjectContains: CFString = "m_SubjectContains"
/// The key of text the subject must begin with.
@safe nonisolated(unsafe) public let kSecMatchSubjectStartsWith: CFString = "m_SubjectStartsWith"
/// The key of text the subject must end with.
@safe nonisolated(unsafe) public let kSecMatchSubjectEndsWith: CFString = "m_SubjectEndsWith"
/// The key of text the subject must equal.
@safe nonisolated(unsafe) public let kSecMatchSubjectWholeString: CFString = "m_SubjectWholeString"
/// The key of whether case is ignored.
@safe nonisolated(unsafe) public let kSecMatchCaseInsensitive: CFString = "m_CaseInsensitive"
/// The key of whether accents are ignored.
@safe nonisolated(unsafe) public let kSecMatchDiacriticInsensitive: CFString = "m_DiacriticInsensitive"
/// The key of whether wide and narrow forms of a character are the same.
@safe nonisolated(unsafe) public let kSecMatchWidthInsensitive: CFString = "m_WidthInsensitive"

// MARK: - Where to search

/// The key of the items to search in.
@safe nonisolated(unsafe) public let kSecMatchItemList: CFString = "m_ItemList"
/// The key of the keychains to search in.
@safe nonisolated(unsafe) public let kSecMatchSearchList: CFString = "m_SearchList"
