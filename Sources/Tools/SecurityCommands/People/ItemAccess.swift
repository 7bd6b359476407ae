import CommandOptions
import KeychainClient
import KeychainModel
import KeychainWire
import LinuxSystem

/// One item of this command's, read and changed by its lasting name.
struct ItemAccess {
    let session: Session
    let call: String

    init(_ session: Session, _ call: String) { (self.session, self.call) = (session, call) }

    /// The item's attributes, with its value where that is wanted. An item that requires authentication has its user
    /// asked for the value.
    func attributes(of item: ListedItem, withValue: Bool) throws(CommandFailure) -> ItemResponse.Item {
        try attributes(ofReference: item.query, in: item.keychain, withValue)
    }

    /// The certificate of an item that has one, in DER. An identity's own value would be its key.
    ///
    /// - Throws: `errSecItemNotFound` for an item without one.
    func certificate(of item: ListedItem) throws(CommandFailure) -> [UInt8] {
        guard item.hasCertificate, case .uuid(let uuid)? = PersistentReference(item.reference)?.item,
            let reference = PersistentReference(.certificate, uuid: uuid).bytes,
            let data = try attributes(ofReference: .data(reference), in: item.keychain, true).attributes
                .secret(.valueData)
        else { throw .refused(call: call, .nothingFound) }
        return data.withSpan { $0.array(0, $0.count) }
    }

    private func attributes(
        ofReference reference: RawValue, in keychain: ChosenKeychain, _ withValue: Bool
    ) throws(CommandFailure) -> ItemResponse.Item {
        try session.turn(to: keychain, call)
        let response = try session.send(call) { () throws(Refusal) in
            var builder = ItemRequestBuilder(.copyMatching)
            try builder.set("v_PersistentRef", reference)
            try builder.set("r_Attributes", .boolean(true))
            if withValue { try builder.set("r_Data", .boolean(true)) } else { builder.inspectAllGroups() }
            return try builder.build()
        }
        guard let found = response.items.first else { throw .refused(call: call, .nothingFound) }
        return found
    }

    /// Changes attributes, and the value where one is given.
    func change(
        _ item: ListedItem, _ changes: [(code: String, value: RawValue)], _ value: SecretBytes?
    ) throws(CommandFailure) {
        try session.turn(to: item.keychain, call)
        _ = try session.send(call) { () throws(Refusal) in
            var builder = ItemRequestBuilder(.update)
            try builder.set("v_PersistentRef", item.query)
            for (code, value) in changes { try builder.change(code, value) }
            try value?.withSpan { (bytes) throws(Refusal) in try builder.change("v_Data", data: bytes) }
            return try builder.build()
        }
    }

    /// Adds an item to the default keychain.
    func addItem(
        of itemClass: ItemClass, _ attributes: [(code: String, value: RawValue)], _ value: SecretBytes,
        in keychain: ChosenKeychain? = nil
    ) throws(CommandFailure) {
        if let keychain { try session.turn(to: keychain, call) } else { try session.turn(to: nil, call) }
        _ = try session.send(call) { () throws(Refusal) in
            var builder = ItemRequestBuilder(.add)
            try builder.set("class", .string(itemClass.code))
            for (code, value) in attributes { try builder.set(code, value) }
            try value.withSpan { (bytes) throws(Refusal) in try builder.set("v_Data", data: bytes) }
            return try builder.build()
        }
    }

    /// Deletes an item.
    ///
    /// - Parameter leavesVersions: false to drop its earlier versions too.
    func delete(item: ListedItem, leavingVersions: Bool) throws(CommandFailure) {
        try session.turn(to: item.keychain, call)
        _ = try session.send(call) { () throws(Refusal) in
            var builder = ItemRequestBuilder(.delete)
            try builder.set("v_PersistentRef", item.query)
            if !leavingVersions { builder.leaveNoHistory() }
            return try builder.build()
        }
    }

    /// Drops the versions of an item that is deleted already.
    func forget(_ item: ListedItem) throws(CommandFailure) {
        try session.turn(to: item.keychain, call)
        _ = try session.send(call) { () throws(Refusal) in
            var builder = ItemRequestBuilder(.forget)
            try builder.set("v_PersistentRef", item.query)
            return try builder.build()
        }
    }

    /// Brings a deleted item back.
    ///
    /// - Parameter moment: in seconds since 2001: gives an item what it had then.
    func restore(_ item: ListedItem, asOf moment: Double? = nil) throws(CommandFailure) {
        try session.turn(to: item.keychain, call)
        try restore(item.query, asOf: moment)
    }

    /// Gives an item of the keychain that is spoken to the version with a number, which has lost to another machine's
    /// change.
    func restore(lost number: Int64, of reference: RawValue) throws(CommandFailure) {
        _ = try session.send(call) { () throws(Refusal) in
            var builder = ItemRequestBuilder(.restore)
            try builder.set("v_PersistentRef", reference)
            builder.restore(lost: number)
            return try builder.build()
        }
    }

    /// The same with an item of the keychain that is spoken to, by its lasting name.
    func restore(_ reference: RawValue, asOf moment: Double?) throws(CommandFailure) {
        _ = try session.send(call) { () throws(Refusal) in
            var builder = ItemRequestBuilder(.restore)
            try builder.set("v_PersistentRef", reference)
            if let moment { builder.restore(asOf: moment) }
            return try builder.build()
        }
    }
}
