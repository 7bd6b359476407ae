internal import KeychainModel
internal import KeychainWire
internal import LinuxSystem

/// An item as the program gets it (rules results.shape.object, results.attributes.access-control).
struct ItemResult {
    private let returns: ReturnFlags
    private let item: ItemResponse.Item
    private let use: AuthenticationUse

    /// - Parameter use: the query's settings for prompts; a found key uses them for its own prompts (rule
    ///   keys.use.context).
    init(_ returns: ReturnFlags, _ item: ItemResponse.Item, _ use: AuthenticationUse) {
        self.returns = returns
        self.item = item
        self.use = use
    }

    /// Data, a persistent reference, or a dictionary, as the return keys say; nil when there is nothing to return.
    var object: AnyObject? {
        switch returns.rawValue {
        case ReturnFlags.data.rawValue: data(.valueData)
        case ReturnFlags.persistentReference.rawValue: data(.persistentReference)
        case ReturnFlags.reference.rawValue: ReferencedItems.object(for: item, use)
        case 0: nil
        default: dictionary
        }
    }

    /// The objects of several items as the program gets them.
    static func array(_ objects: [AnyObject]) -> NSArray {
        unsafe objects.withUnsafeBufferPointer { unsafe NSArray(objects: $0.baseAddress, count: $0.count) }
    }

    private var list: AttributeList { item.attributes }

    private func data(_ id: AttributeID) -> ReturnedData? {
        guard let entry = list.entry(id) else { return nil }
        return list.storage.withSpan {
            ReturnedData(copying: $0.extracting(entry.offset..<entry.offset + entry.length))
        }
    }

    private var dictionary: NSDictionary {
        var keys: [NSObject] = []
        var objects: [AnyObject] = []
        keys.reserveCapacity(16)
        objects.reserveCapacity(16)
        for entry in list where isAskedFor(entry.id) {
            guard let key = ResultKeys.key(for: entry.id), let object = object(entry) else { continue }
            keys.append(key)
            objects.append(object)
        }
        if showsAttributes, let accessControl {
            keys.append(kSecAttrAccessControl)
            objects.append(accessControl)
        }
        if returns.contains(.reference) {
            keys.append(kSecClass)
            objects.append(NSString(string: item.itemClass.code))
            if let reference = ReferencedItems.object(for: item, use) {
                keys.append(kSecValueRef)
                objects.append(reference)
            }
        }
        // The initialiser that takes arrays casts each element, which takes longer than the rest of the function.
        return unsafe keys.withUnsafeBufferPointer { keys in
            unsafe objects.withUnsafeBufferPointer { objects in
                unsafe NSDictionary(objects: objects.baseAddress, forKeys: keys.baseAddress, count: keys.count)
            }
        }
    }

    /// The reference of a password is its attributes. Any other reference comes with attributes when the query asks for
    /// more than the reference.
    private var showsAttributes: Bool { returns.contains(.attributes) || returns.contains(.reference) }

    private func isAskedFor(_ id: AttributeID) -> Bool {
        switch id {
        case .accessControl: false
        case .valueData: returns.contains(.data)
        case .persistentReference: returns.contains(.persistentReference)
        default: showsAttributes
        }
    }

    /// The access control as it was given, or one with the protection class alone (rules results.shape.object,
    /// results.attributes.access-control).
    private var accessControl: SecAccessControl? {
        let given = list.accessControl ?? list.accessibility.map { AccessControl($0, flags: nil) }
        return given.map { control in
            guard let flags = control.flags else { return SharedObjects.accessControl(control.accessibility) }
            return SecAccessControl(
                protection: control.accessibility.code,
                flags: SecAccessControlCreateFlags(rawValue: CFOptionFlags(flags)))
        }
    }

    private func object(_ entry: AttributeList.Entry) -> AnyObject? {
        if entry.kind == .data { return data(entry.id) }
        switch list.value(entry) {
        case .string(let text)?: return NSString(string: text)
        case .number(let number)?: return SharedObjects.number(number)
        case .date(let seconds)?: return NSDate(timeIntervalSinceReferenceDate: seconds)
        case .data?, nil: return nil
        }
    }
}

/// The keys of result dictionaries, made once.
enum ResultKeys {
    static func key(for id: AttributeID) -> NSString? {
        switch id {
        case .valueData: kSecValueData
        case .persistentReference: kSecValuePersistentRef
        default: unsafe Int(id.rawValue) < attributes.count ? attributes[Int(id.rawValue)] : nil
        }
    }

    private nonisolated(unsafe) static let attributes: [NSString?] = (0..<AttributeID.restricted.rawValue).map {
        AttributeTable.attribute(id: AttributeID(rawValue: $0)).map { NSString(string: $0.code) }
    }
}
