// Flags of `SecPolicyCreateRevocation`: how revocation is checked.

/// By the issuer's online service.
public let kSecRevocationOCSPMethod: CFOptionFlags = 1 << 0
/// By the issuer's list.
public let kSecRevocationCRLMethod: CFOptionFlags = 1 << 1
/// By the list, where both are there.
public let kSecRevocationPreferCRL: CFOptionFlags = 1 << 2
/// A missing answer counts as a failed check.
public let kSecRevocationRequirePositiveResponse: CFOptionFlags = 1 << 3
/// Nothing is fetched.
public let kSecRevocationNetworkAccessDisabled: CFOptionFlags = 1 << 4
/// By the online service or by the list.
public let kSecRevocationUseAnyAvailableMethod: CFOptionFlags = kSecRevocationOCSPMethod | kSecRevocationCRLMethod
