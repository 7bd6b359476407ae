import Testing

@testable import LinuxSystem

struct TimeNamespaceTests {
    @Test(
        "how far a time namespace sets the clock is read from the kernel's table; what is none says nothing",
        arguments: [
            ("monotonic           0         0\nboottime            0         0\n", 0),
            ("monotonic        5000         0\nboottime       100000         7\n", 100_000),
            ("boottime -3 999999999\n", -3), ("boottime x 0\n", nil), ("boottime 1\n", nil), ("monotonic 1 2\n", nil),
            ("", nil),
        ] as [(String, Int64?)])
    func table(_ text: String, _ seconds: Int64?) {
        #expect(TimeNamespace.secondsAhead(in: text) == seconds)
    }
}
