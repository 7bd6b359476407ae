// What Foundation does on Apple systems and not on Linux, as far as programs that use a keychain rely on it.

extension NSString: @retroactive _HasCustomAnyHashableRepresentation {
    /// Makes `AnyHashable("a" as NSString)` equal `AnyHashable("a")`, so that a result cast to `[AnyHashable: Any]` is
    /// found under a `kSec…` key. This holds for the whole process, as it does on Apple systems.
    public func _toCustomAnyHashable() -> AnyHashable? { AnyHashable(String(describing: self)) }
}

extension NSMutableDictionary {
    /// Sets the value of a key that is an object, such as a `kSec…` constant.
    @_disfavoredOverload
    public func setObject(_ value: Any, forKey key: any NSCopying) {
        guard let object = key as? NSObject else { return }
        setObject(value, forKey: object as AnyHashable)
    }

    /// Sets the value of a key, or removes the entry when the value is nil.
    @_disfavoredOverload
    public func setValue(_ value: Any?, forKey key: String) {
        guard let value else { return removeObject(forKey: NSString(string: key)) }
        setObject(value, forKey: key as AnyHashable)
    }
}
