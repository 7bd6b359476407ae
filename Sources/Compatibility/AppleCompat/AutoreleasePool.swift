/// Runs the body. Linux has no autoreleased objects: an object is freed with its last reference.
public func autoreleasepool<Result: ~Copyable, Failure: Error>(
    invoking body: () throws(Failure) -> Result
) throws(Failure) -> Result {
    try body()
}
