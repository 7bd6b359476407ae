public import CSecurity
internal import KeychainModel
internal import Security

// SecTask.h: the functions that take or return numbers of Apple's kernel.

@_cdecl("SecTaskCreateWithAuditToken")
public func secTaskCreateWithAuditToken(_ allocator: Reference?, _ token: CSecurity.audit_token_t) -> Reference? {
    unsafe retained(SecTaskCreateWithAuditToken(nil, Security.audit_token_t(val: token.val)))
}

@_cdecl("SecTaskGetCodeSignStatus")
public func secTaskGetCodeSignStatus(_ task: Reference?) -> UInt32 {
    unsafe answer(or: 0, try SecTaskGetCodeSignStatus(borrowed(task)))
}
