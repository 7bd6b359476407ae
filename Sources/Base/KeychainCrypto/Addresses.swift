/// Lends the address of the bytes, which is an address also when there are none: OpenSSL takes a null key for no key.
func withAddress<Result, Failure: Error>(
    of span: Span<UInt8>, _ body: (UnsafePointer<UInt8>, Int) throws(Failure) -> Result
) throws(Failure) -> Result {
    try unsafe span.withUnsafeBufferPointer { (bytes) throws(Failure) in
        if let start = bytes.baseAddress { return try unsafe body(start, bytes.count) }
        var nowhere: UInt8 = 0
        return try unsafe withUnsafePointer(to: &nowhere) { (nowhere) throws(Failure) in try unsafe body(nowhere, 0) }
    }
}
