internal import KeychainModel
internal import Security

// SecTask.h, SecCode.h, SecStaticCode.h and SecRequirement.h.

@_cdecl("SecTaskGetTypeID")
public func secTaskGetTypeID() -> UInt { SecTaskGetTypeID() }

@_cdecl("SecTaskCreateFromSelf")
public func secTaskCreateFromSelf(_ allocator: Reference?) -> Reference? { unsafe retained(SecTaskCreateFromSelf(nil)) }

@_cdecl("SecTaskCopyValueForEntitlement")
public func secTaskCopyValueForEntitlement(
    _ task: Reference?, _ entitlement: Reference?, _ error: Place?
) -> Reference? {
    unsafe object(error) { (error) throws(Refusal) in
        try unsafe SecTaskCopyValueForEntitlement(borrowed(task), string(entitlement), error)
    }
}

@_cdecl("SecTaskCopyValuesForEntitlements")
public func secTaskCopyValuesForEntitlements(
    _ task: Reference?, _ entitlements: Reference?, _ error: Place?
) -> Reference? {
    unsafe object(error) { (error) throws(Refusal) in
        try unsafe SecTaskCopyValuesForEntitlements(borrowed(task), array(entitlements), error)
    }
}

@_cdecl("SecTaskCopySigningIdentifier")
public func secTaskCopySigningIdentifier(_ task: Reference?, _ error: Place?) -> Reference? {
    unsafe object(error) { (error) throws(Refusal) in try unsafe SecTaskCopySigningIdentifier(borrowed(task), error) }
}

@_cdecl("SecCodeGetTypeID")
public func secCodeGetTypeID() -> UInt { SecCodeGetTypeID() }

@_cdecl("SecCodeCopySelf")
public func secCodeCopySelf(_ flags: UInt32, _ code: Place?) -> Int32 {
    unsafe status(code) { (code: UnsafeMutablePointer<SecCode?>) throws(Refusal) in
        unsafe SecCodeCopySelf(SecCSFlags(rawValue: flags), code)
    }
}

@_cdecl("SecCodeCopyStaticCode")
public func secCodeCopyStaticCode(_ code: Reference?, _ flags: UInt32, _ staticCode: Place?) -> Int32 {
    unsafe status(staticCode) { (staticCode: UnsafeMutablePointer<SecStaticCode?>) throws(Refusal) in
        try unsafe SecCodeCopyStaticCode(borrowed(code), SecCSFlags(rawValue: flags), staticCode)
    }
}

@_cdecl("SecCodeCheckValidity")
public func secCodeCheckValidity(_ code: Reference?, _ flags: UInt32, _ requirement: Reference?) -> Int32 {
    unsafe status(try SecCodeCheckValidity(borrowed(code), SecCSFlags(rawValue: flags), optional(requirement)))
}

@_cdecl("SecCodeCopyPath")
public func secCodeCopyPath(_ staticCode: Reference?, _ flags: UInt32, _ path: Place?) -> Int32 {
    unsafe status(path) { (path: UnsafeMutablePointer<CFURL?>) throws(Refusal) in
        try unsafe SecCodeCopyPath(onDisk(staticCode), SecCSFlags(rawValue: flags), path)
    }
}

@_cdecl("SecCodeCopySigningInformation")
public func secCodeCopySigningInformation(_ code: Reference?, _ flags: UInt32, _ information: Place?) -> Int32 {
    unsafe status(information) { (information: UnsafeMutablePointer<CFDictionary?>) throws(Refusal) in
        try unsafe SecCodeCopySigningInformation(onDisk(code), SecCSFlags(rawValue: flags), information)
    }
}

@_cdecl("SecStaticCodeGetTypeID")
public func secStaticCodeGetTypeID() -> UInt { SecStaticCodeGetTypeID() }

@_cdecl("SecStaticCodeCreateWithPath")
public func secStaticCodeCreateWithPath(_ path: Reference?, _ flags: UInt32, _ staticCode: Place?) -> Int32 {
    unsafe status(staticCode) { (staticCode: UnsafeMutablePointer<SecStaticCode?>) throws(Refusal) in
        try unsafe SecStaticCodeCreateWithPath(borrowed(path), SecCSFlags(rawValue: flags), staticCode)
    }
}

@_cdecl("SecStaticCodeCheckValidity")
public func secStaticCodeCheckValidity(_ staticCode: Reference?, _ flags: UInt32, _ requirement: Reference?) -> Int32 {
    unsafe status(
        try SecStaticCodeCheckValidity(onDisk(staticCode), SecCSFlags(rawValue: flags), optional(requirement)))
}

@_cdecl("SecRequirementGetTypeID")
public func secRequirementGetTypeID() -> UInt { SecRequirementGetTypeID() }

@_cdecl("SecRequirementCreateWithData")
public func secRequirementCreateWithData(_ data: Reference?, _ flags: UInt32, _ requirement: Place?) -> Int32 {
    unsafe status(requirement) { (requirement: UnsafeMutablePointer<SecRequirement?>) throws(Refusal) in
        try unsafe SecRequirementCreateWithData(borrowed(data), SecCSFlags(rawValue: flags), requirement)
    }
}

@_cdecl("SecRequirementCreateWithString")
public func secRequirementCreateWithString(_ text: Reference?, _ flags: UInt32, _ requirement: Place?) -> Int32 {
    unsafe status(requirement) { (requirement: UnsafeMutablePointer<SecRequirement?>) throws(Refusal) in
        try unsafe SecRequirementCreateWithString(string(text), SecCSFlags(rawValue: flags), requirement)
    }
}

/// Code on disk: for running code, its executable.
private func onDisk(_ code: Reference?) throws(Refusal) -> SecStaticCode {
    let object: NSObject = try unsafe borrowed(code)
    guard let running = object as? SecCode else { return try unsafe borrowed(code) }
    var executable: SecStaticCode?
    unsafe SecCodeCopyStaticCode(running, [], &executable)
    guard let executable else { throw .unusable("code without an executable", "code") }
    return executable
}
