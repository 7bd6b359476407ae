internal import KeychainModel

extension Refusal {
    /// The refusal of an Apple function that exists so that programs compile, and does nothing.
    static func notHere(_ function: String, _ why: String) -> Refusal {
        Refusal(
            .unimplemented, .notImplemented, function, "\(function) does nothing here: \(why)", do: "Do without it.")
    }
}

/// Refuses a call.
func notHere(_ why: String, function: StaticString = #function) -> OSStatus {
    reporting { () throws(Refusal) in throw .notHere(name(function), why) }
}

/// Refuses a call with an error parameter.
func notHere<Result>(
    _ why: String, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?, function: StaticString = #function
) -> Result? {
    unsafe error?.pointee = .passRetained(Refusal.notHere(name(function), why).asCFError)
    return nil
}

private func name(_ function: StaticString) -> String { String("\(function)".prefix { $0 != "(" }) }
