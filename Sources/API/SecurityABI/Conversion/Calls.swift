internal import KeychainModel
internal import Security

// The forms of C functions, each with its report of a refusal: a status, NULL or false, and the error if the caller has
// a place for one. Arguments are borrowed inside the call, so a bad argument is reported in the same way.

/// A function that returns a status.
func status(_ call: @autoclosure () throws(Refusal) -> Int32) -> Int32 {
    do throws(Refusal) { return try call() } catch { return explained(error) }
}

/// A function that returns a status and fills a place, which must exist. The place gets a retained object, or NULL
/// after a failure.
func status<Object: AnyObject>(
    _ place: Place?, _ call: (UnsafeMutablePointer<Object?>) throws(Refusal) -> Int32
) -> Int32 {
    guard unsafe place != nil else { return explained(.unusable("NULL", "a place for the result")) }
    return unsafe status(optional: place) { (result: UnsafeMutablePointer<Object?>?) throws(Refusal) in
        guard let result = unsafe result else { return errSecParam }
        return try unsafe call(result)
    }
}

/// As ``status(_:_:)`` with a place that may be NULL. The Swift function learns whether it is.
func status<Object: AnyObject>(
    optional place: Place?, _ call: (UnsafeMutablePointer<Object?>?) throws(Refusal) -> Int32
) -> Int32 {
    guard let place = unsafe place else { return status(try call(nil)) }
    var object: Object?
    let status = unsafe status(try call(&object))
    unsafe place.pointee = retained(object)
    return status
}

/// A function that returns an object, retained, or NULL.
func object(_ call: @autoclosure () throws(Refusal) -> AnyObject?) -> Reference? {
    do throws(Refusal) { return unsafe retained(try call()) } catch {
        _ = explained(error)
        return nil
    }
}

/// The place where a Swift function puts its error.
typealias ErrorPlace = UnsafeMutablePointer<Unmanaged<CFError>?>

/// A function that returns an object, retained, or NULL and an error if there is a place for it.
func object(_ place: Place?, _ call: (ErrorPlace) throws(Refusal) -> AnyObject?) -> Reference? {
    unsafe retained(yielding(place, call))
}

/// A function that returns whether it succeeded, and an error otherwise if there is a place for it.
func boolean(_ place: Place?, _ call: (ErrorPlace) throws(Refusal) -> Bool) -> Bool {
    let result = unsafe yielding(place) { (error: ErrorPlace) throws(Refusal) in try unsafe call(error) }
    return result == true
}

/// A function that can only fail by its arguments.
func answer<Value>(or failure: Value, _ call: @autoclosure () throws(Refusal) -> Value) -> Value {
    do throws(Refusal) { return try call() } catch {
        _ = explained(error)
        return failure
    }
}

private func yielding<Result>(_ place: Place?, _ call: (ErrorPlace) throws(Refusal) -> Result?) -> Result? {
    var error: Unmanaged<CFError>?
    do throws(Refusal) {
        let result = try unsafe call(&error)
        if let error = unsafe error?.takeRetainedValue() { unsafe place?.pointee = retained(error) }
        return result
    } catch {
        unsafe place?.pointee = retained(error.asCFError)
        return nil
    }
}

/// The status of a refusal. The thread remembers the refusal.
func explained(_ refusal: Refusal) -> Int32 {
    reporting { () throws(Refusal) in throw refusal }
}

extension Refusal {
    /// The refusal behind the error of a function for Swift.
    init(_ error: SecItemError) {
        self.init(
            KeychainStatus(rawValue: error.status), Rule(rawValue: error.rule), error.subject, error.problem,
            do: error.remedy)
    }
}
