/// The error that a body throws; nil when it throws nothing.
package func failure<Result, Failure: Error>(of body: () throws(Failure) -> Result) -> Failure? {
    do throws(Failure) { _ = try body() } catch { return error }
    return nil
}
