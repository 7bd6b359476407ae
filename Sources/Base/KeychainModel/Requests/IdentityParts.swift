/// An identity is added as its two parts: a certificate, which is the query of the request, and a private key, which is
/// its changes.
extension ItemRequest {
    /// The two requests of an identity's addition; nil for every other request.
    package var identityParts: (certificate: ItemRequest, key: ItemRequest)? {
        guard operation == .add, itemClass == .identity else { return nil }
        return (part(.certificate, query), part(.key, changes))
    }

    private func part(_ itemClass: ItemClass, _ list: AttributeList) -> ItemRequest {
        var part = self
        part.itemClass = itemClass
        part.query = list
        part.changes = .empty
        part.returns = []
        return part
    }

    /// Checks both parts of an identity to be added.
    ///
    /// - Throws: `errSecParam` when it has no certificate or no key; the errors of the parts' own checks.
    func checkIdentity(_ parts: (certificate: ItemRequest, key: ItemRequest)) throws(Refusal) {
        guard parts.certificate.query.entry(.valueData) != nil, parts.key.query.present != 0 else {
            throw Refusal(
                .param, .notAllowedHere, "class",
                "An identity is not stored as such; it is a certificate with its key.",
                do: "Add it by reference (kSecValueRef), or add the certificate and the private key.")
        }
        try parts.certificate.check()
        try parts.key.check()
    }
}
