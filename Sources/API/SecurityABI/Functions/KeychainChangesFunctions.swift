internal import KeychainModel
internal import Security

// SecKeychainChanges.h.

/// A function of C that hears of changes.
public typealias ChangesCallback = @convention(c) (Reference?, UInt64, UnsafeMutableRawPointer?) -> Void

@_cdecl("SecKeychainChangesGetTypeID")
public func secKeychainChangesGetTypeID() -> UInt { SecKeychainChanges.runtimeType.identifier }

@_cdecl("SecKeychainChangesCreate")
public func secKeychainChangesCreate(
    _ groups: Reference?, _ since: Reference?, _ callback: ChangesCallback?, _ context: UnsafeMutableRawPointer?,
    _ changes: Place?
) -> Int32 {
    guard let place = unsafe changes else { return explained(.unusable("NULL", "a place for the result")) }
    unsafe place.pointee = nil
    return reporting { () throws(Refusal) in
        guard let callback = unsafe callback else { throw .unusable("NULL", "a function to call") }
        let (groups, since) = (try unsafe names(groups), try unsafe numbers(since))
        let made = SecKeychainChanges(try watching { () throws in try KeychainChanges(in: groups, since: since) })
        try unsafe begin(made, ChangesListener(callback, context), at: place)
        return nil
    }
}

/// Begins a watch that is in its place before the first call, which may need it.
private func begin(_ made: SecKeychainChanges, _ listener: ChangesListener, at place: Place) throws(Refusal) {
    unsafe place.pointee = retained(made)
    do throws(Refusal) { try made.watch.listen(listener.hear) } catch {
        unsafe place.pointee = nil
        unsafe Unmanaged.passUnretained(made).release()
        throw error
    }
}

@_cdecl("SecKeychainChangesCopyNumbers")
public func secKeychainChangesCopyNumbers(_ changes: Reference?) -> Reference? {
    unsafe object(try numbers(of: borrowed(changes)))
}

@_cdecl("SecKeychainChangesInvalidate")
public func secKeychainChangesInvalidate(_ changes: Reference?) {
    answer(or: (), try invalidate(unsafe borrowed(changes)))
}

private func invalidate(_ changes: SecKeychainChanges) { changes.watch.end() }

private func numbers(of changes: SecKeychainChanges) -> NSDictionary {
    let numbers = changes.beginning.map { ($0.group, NSNumber(value: $0.number)) }
    return NSDictionary(dictionary: Dictionary(numbers) { first, _ in first })
}

/// The object of a `SecKeychainChangesRef`: a type of Core Foundation, as those of `Security` are.
final class SecKeychainChanges: NSObject, Sendable {
    static let runtimeType = RuntimeType(SecKeychainChanges.self)
    private let runtimeWord = SecKeychainChanges.runtimeType.word
    let beginning: [KeychainChange]
    let watch: GroupChangeWatch

    init(_ changes: KeychainChanges) { (beginning, watch) = (changes.beginning, changes.makeWatch()) }

    deinit { watch.end() }

    override var description: String { "<SecKeychainChanges: \(beginning.count) groups>" }
}

/// A function of C and its context. C promises that both may be used on another thread.
@safe private struct ChangesListener: @unchecked Sendable {
    private let callback: ChangesCallback
    private let context: UnsafeMutableRawPointer?

    init(_ callback: ChangesCallback, _ context: UnsafeMutableRawPointer?) {
        unsafe (self.callback, self.context) = (callback, context)
    }

    func hear(_ change: KeychainChange?) {
        let group = unsafe retained(change.map { NSString(string: $0.group) })
        unsafe callback(group, change?.number ?? 0, context)
        if let group = unsafe group { unsafe Unmanaged<AnyObject>.fromOpaque(group).release() }
    }
}

private func names(_ groups: Reference?) throws(Refusal) -> [String]? {
    guard let groups = try unsafe optionalArray(groups) else { return nil }
    guard let names = groups as? [String] else { throw .unusable("an object of another type", "an array of strings") }
    return names
}

private func numbers(_ since: Reference?) throws(Refusal) -> [KeychainChange] {
    guard let since = try unsafe optionalDictionary(since) else { return [] }
    var changes: [KeychainChange] = []
    for (group, number) in since {
        guard let group = group as? String, let number = (number as? NSNumber)?.uint64Value else {
            throw .unusable("an object of another type", "a dictionary of strings and numbers")
        }
        changes.append(KeychainChange(group: group, number: number))
    }
    return changes
}

private func watching<Result>(_ body: () throws -> Result) throws(Refusal) -> Result {
    do { return try body() } catch {
        guard let error = error as? SecItemError else { throw .unusable("no watch", "one that can be made") }
        throw Refusal(error)
    }
}
