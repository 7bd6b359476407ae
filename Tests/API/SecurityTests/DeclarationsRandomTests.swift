import Security
import Testing

@Suite struct DeclarationsRandomTests {
    @Test("Every byte asked for is filled and none beyond", arguments: [0, 1, 32, 256, 257, 100_000])
    func fillsExactly(count: Int) {
        let guardLength = 64
        var seen = [Bool](repeating: false, count: count)
        var bytes = [UInt8](repeating: 0, count: count + guardLength)
        // A byte is zero by chance once in 256 times; sixteen zeros in a row do not occur by chance.
        for _ in 0..<16 {
            #expect(unsafe SecRandomCopyBytes(kSecRandomDefault, count, &bytes) == errSecSuccess)
            for index in 0..<count where bytes[index] != 0 { seen[index] = true }
        }
        #expect(seen.allSatisfy { $0 })
        #expect(bytes.suffix(guardLength).allSatisfy { $0 == 0 })
    }

    @Test("Two calls never agree")
    func differs() {
        var first = [UInt8](repeating: 0, count: 32)
        var second = first
        #expect(unsafe SecRandomCopyBytes(kSecRandomDefault, 32, &first) == errSecSuccess)
        #expect(unsafe SecRandomCopyBytes(kSecRandomDefault, 32, &second) == errSecSuccess)
        #expect(first != second)
    }

    @Test("A negative count is refused, and the memory stays untouched; any source is the kernel's")
    func refusals() {
        var bytes = [UInt8](repeating: 7, count: 32)
        #expect(unsafe SecRandomCopyBytes(kSecRandomDefault, -1, &bytes) == errSecParam)
        #expect(unsafe SecRandomCopyBytes(kSecRandomDefault, .min, &bytes) == errSecParam)
        #expect(bytes == [UInt8](repeating: 7, count: 32))
        #expect(unsafe SecRandomCopyBytes(OpaquePointer(bitPattern: 8), 32, &bytes) == errSecSuccess)
        #expect(bytes != [UInt8](repeating: 7, count: 32))
    }
}
