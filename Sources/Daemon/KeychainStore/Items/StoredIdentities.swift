package import KeychainModel
package import KeychainPolicy
package import LinuxSystem

/// Where an enumeration of identities goes on: after a certificate's row and, among its keys, a key's row.
///
///     cursor = certificate row << 32 | key row
package struct IdentityCursor {
    package let certificate, key: Int64

    package init(certificate: Int64, key: Int64) { (self.certificate, self.key) = (certificate, key) }

    package init(_ cursor: UInt64) {
        (certificate, key) = (Int64(cursor >> 32), Int64(cursor & 0xFFFF_FFFF))
    }

    /// The cursor as a request carries it.
    ///
    /// - Throws: `errSecNotAvailable` for row numbers that no store comes near.
    package func packed() throws(Refusal) -> UInt64 {
        guard let certificate = Int32(exactly: certificate), let key = UInt32(exactly: key), certificate >= 0 else {
            throw Refusal(
                .notAvailable, .unavailable, "idnt", "The store's row numbers are too large to go through by pages.",
                do: "Ask for fewer identities at once (kSecMatchLimit, or attributes).")
        }
        return UInt64(certificate) << 32 | UInt64(key)
    }
}

/// Finding certificates together with their keys.
extension StoreReader {
    /// Finds the identities that an authorised query names, one after the other, until `visit` answers false.
    ///
    /// - Parameter cursor: after which it goes on, in their order; nil for what the request says.
    /// - Throws: as ``select(_:as:after:by:_:)``.
    package func selectIdentities(
        _ authorized: AuthorizedRequest, after cursor: UInt64? = nil, by deadline: Deadline,
        _ visit: (_ certificate: SealedRow, _ key: SealedRow) throws(Refusal) -> Bool
    ) throws(Refusal) {
        let width = RowCodes.width(of: .certificate)
        try run(authorized, as: .identity, after: cursor, by: deadline) { (statement, isCandidate) throws(Refusal) in
            guard let certificate = try authentic(statement, .certificate, isCandidate: isCandidate),
                let key = try authentic(statement, .key, from: width, isCandidate: isCandidate)
            else { return true }
            return try visit(certificate, key)
        }
    }

    /// Whether a certificate of any group refers to the key in a row.
    package func isReferenced(key: Int64) throws(Refusal) -> Bool {
        try refusing { () throws(DatabaseError) in
            let statement = try database.prepare(IdentityQueryCompiler.references, "be searched")
            try statement.bind(integer: key, at: 1)
            return try statement.step() ? statement.integer(0) != 0 : false
        }
    }

    /// Binds what a query for identities has at its end: see ``IdentityQueryCompiler/select(_:)``.
    func bindIdentity(after cursor: UInt64?, to statement: Statement, _ first: Int32) throws(Refusal) {
        var index = first
        if let cursor = cursor.map({ IdentityCursor($0) }) {
            try refusing { () throws(DatabaseError) in
                try statement.bind(integer: cursor.certificate, at: index)
                try statement.bind(integer: cursor.key, at: index + 1)
            }
            index += 2
        }
        try bind(value: .number(Self.privateKeyClass), of: .keyClass, to: statement, index)
        try bind(value: .data([]), of: .applicationLabel, to: statement, index + 1)
    }

    /// `kSecAttrKeyClassPrivate` as a number.
    private static let privateKeyClass: Int64 = 1

    private func bind(
        value: AttributeValue, of id: AttributeID, to statement: Statement, _ index: Int32
    ) throws(Refusal) {
        guard let attribute = AttributeTable.attribute(id: id) else { return }
        let bytes = value.bytes
        let digest = try digester.digest(attribute, value.kind, bytes.span)
        statement.bind(blob: digest.span, at: index)
    }
}
