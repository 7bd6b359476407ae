import Security

// Prints how many certificates SecTrust trusts without proof, or the error's code.

var anchors: CFArray?
let status = SecTrustCopyAnchorCertificates(&anchors)
print(status == errSecSuccess ? (anchors as? [SecCertificate])?.count ?? 0 : Int(status))
