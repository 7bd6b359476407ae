internal import KeychainModel

/// Returns what a status means, as one sentence.
///
/// - Parameters:
///   - status: the status of any function of this module. 100000 plus an `errno` gives the system's text for it.
///   - reserved: not used; pass nil.
/// - Returns: the sentence; a status that is not known gives `OSStatus N`. Never nil.
@discardableResult
public func SecCopyErrorMessageString(_ status: OSStatus, _ reserved: UnsafeMutableRawPointer?) -> CFString? {
    NSString(string: StatusMessages.message(for: status))
}
