/// How many times longer a debug build waits for another process to start or to answer than a release build does.
///
/// A debug build starts several times slower, and tests start many of them at once on machines that may be slow.
package enum DebugPatience {
    #if DEBUG
        package static let factor = 6
    #else
        package static let factor = 1
    #endif
}
