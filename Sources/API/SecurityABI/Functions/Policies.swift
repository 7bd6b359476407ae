internal import KeychainModel
internal import Security

// SecPolicy.h.

@_cdecl("SecPolicyGetTypeID")
public func secPolicyGetTypeID() -> UInt { SecPolicyGetTypeID() }

@_cdecl("SecPolicyCreateBasicX509")
public func secPolicyCreateBasicX509() -> Reference? { unsafe retained(SecPolicyCreateBasicX509()) }

@_cdecl("SecPolicyCreateSSL")
public func secPolicyCreateSSL(_ server: Bool, _ hostname: Reference?) -> Reference? {
    unsafe object(try SecPolicyCreateSSL(server, optionalString(hostname)))
}

@_cdecl("SecPolicyCreateRevocation")
public func secPolicyCreateRevocation(_ revocationFlags: UInt) -> Reference? {
    unsafe retained(SecPolicyCreateRevocation(revocationFlags))
}

@_cdecl("SecPolicyCreateWithProperties")
public func secPolicyCreateWithProperties(_ policyIdentifier: Reference?, _ properties: Reference?) -> Reference? {
    unsafe object(try SecPolicyCreateWithProperties(value(policyIdentifier), optionalDictionary(properties)))
}

@_cdecl("SecPolicyCopyProperties")
public func secPolicyCopyProperties(_ policyRef: Reference?) -> Reference? {
    unsafe object(try SecPolicyCopyProperties(borrowed(policyRef)))
}
