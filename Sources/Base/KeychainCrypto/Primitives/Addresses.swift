/// Lends the address of the bytes. An empty span gets an address too, because OpenSSL reads a null key as no key.
func withAddress<Result, Failure: Error>(
    of span: Span<UInt8>, _ body: (UnsafePointer<UInt8>, Int) throws(Failure) -> Result
) throws(Failure) -> Result {
    try unsafe span.withUnsafeBufferPointer { (bytes) throws(Failure) in
        if let start = bytes.baseAddress { return try unsafe body(start, bytes.count) }
        var nowhere: UInt8 = 0
        return try unsafe withUnsafePointer(to: &nowhere) { (nowhere) throws(Failure) in try unsafe body(nowhere, 0) }
    }
}

/// Lends the bytes in the type that OpenSSL takes for passphrases.
func withCharacters<Result, Failure: Error>(
    of span: Span<UInt8>, _ body: (UnsafePointer<CChar>, Int) throws(Failure) -> Result
) throws(Failure) -> Result {
    try unsafe withAddress(of: span) { (start, count) throws(Failure) in
        try unsafe start.withMemoryRebound(to: CChar.self, capacity: max(count, 1)) { (text) throws(Failure) in
            try unsafe body(text, count)
        }
    }
}
