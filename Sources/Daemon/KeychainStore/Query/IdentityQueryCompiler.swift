import KeychainModel

/// The SQL of queries for identities: the join of a certificate with the private key whose label is the hash of the
/// certificate's public key (rule items.identity.join).
///
/// The digests of both columns are of one kind and not salted, so the store can join what it cannot read. Both rows are
/// in the caller's groups, and the key is a private one. Any other attribute of the query is looked for in the
/// certificate, or in the key when only keys have it. Salted attributes are looked for here when there is one group, or
/// else compared after opening. A tombstone of a key is no key.
enum IdentityQueryCompiler {
    /// The statement for a shape of the class identity. Its parameters are numbered: first what every query binds, in
    /// the order of ``QueryCompiler``, then the key's row to go on after, if paged, the digests of "private", and of no
    /// label.
    static func select(_ shape: QueryShape) -> String {
        var number = Numbers()
        var conditions: [String] = []
        switch shape.reference {
        case .none: break
        case .uuid: conditions.append("c.uuid = \(number.next())")
        case .row: conditions.append("c.id = \(number.next())")
        }
        for attribute in QueryCompiler.comparedAttributes(shape) {
            conditions.append("\(table(of: attribute)).\(attribute.code) = \(number.next())")
        }
        if let groups = shape.groups { conditions += groupConditions((0..<groups).map { _ in number.next() }) }
        if let tombstone = shape.tombstone { conditions.append("c.tomb = \(tombstone == 0 ? 0 : 1)") }
        conditions.append("k.tomb = 0")
        if let synchronizable = shape.synchronizable { conditions.append("c.sync = \(synchronizable == 0 ? 0 : 1)") }
        if shape.isPaged {
            let (certificate, key) = (number.next(), number.next())
            conditions.append("c.id >= \(certificate) AND (c.id > \(certificate) OR k.id > \(key))")
        }
        conditions += ["k.kcls = \(number.next())", "k.klbl <> \(number.next())"]
        let order = shape.isPaged ? " ORDER BY c.id, k.id" : ""
        return "SELECT \(columns) FROM cert AS c JOIN keys AS k ON k.klbl = c.pkhh "
            + "WHERE \(conditions.joined(separator: " AND "))\(order)"
    }

    /// Whether a certificate refers to the key in a row.
    static let references =
        "SELECT EXISTS (SELECT 1 FROM cert WHERE pkhh = (SELECT klbl FROM keys WHERE id = ?) AND tomb = 0)"

    private static func table(of attribute: ItemAttribute) -> String {
        attribute.identityClass == .certificate ? "c" : "k"
    }

    private static func groupConditions(_ marks: [String]) -> [String] {
        let condition = marks.count == 1 ? "= \(marks[0])" : "IN (\(marks.joined(separator: ", ")))"
        return ["+c.agrp \(condition)", "+k.agrp \(condition)"]
    }

    private static let columns = [
        Schema.rowColumns(of: .certificate, in: "c"), Schema.rowColumns(of: .key, in: "k"),
    ].joined(separator: ", ")

    /// Hands out the names of parameters.
    private struct Numbers {
        private var last = 0

        mutating func next() -> String {
            last += 1
            return "?\(last)"
        }
    }
}
