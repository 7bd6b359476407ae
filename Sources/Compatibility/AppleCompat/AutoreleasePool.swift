/// Runs the body. There are no autoreleased objects on Linux: what nobody retains is gone at once.
public func autoreleasepool<Result: ~Copyable, Failure: Error>(
    invoking body: () throws(Failure) -> Result
) throws(Failure) -> Result {
    try body()
}
