/// An identity is added as what it consists of: a certificate, which the request has as its query, and a private key,
/// which it has as its changes.
extension ItemRequest {
    /// The requests an addition of an identity consists of, the certificate's first; nil for every other request.
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
    /// - Throws: `errSecParam` when there is no certificate or no key in it; what the parts' own checks say.
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
