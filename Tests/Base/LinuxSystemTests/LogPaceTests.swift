import LinuxSystem
import Testing

@Suite("Nobody fills the log")
struct LogPaceTests {
    @Test("Ten lines are written at once, and what was passed over is counted")
    func bounded() {
        var pace = LogRateLimit()
        let written = (0..<1000).filter { _ in pace.admit() != nil }.count
        // There is one more line for each second that this takes.
        #expect(written >= 10 && written < 100)
    }

    @Test("Users have paces of their own: one's lines do not keep another's from being written")
    func apart() {
        var paces = LogPaces()
        for _ in 0..<1000 { _ = paces.admit("line", of: 1) }
        #expect(paces.admit("line", of: 2) == "line")
    }

    @Test("So have programs, by their names")
    func programsApart() {
        var paces = LogPacesOfCallers<String>()
        for _ in 0..<1000 { _ = paces.admit("/bin/one") }
        #expect(paces.admit("/bin/one") == nil)
        #expect(paces.admit("/bin/two") == 0)
    }

    @Test("Thousands of numbers write no more lines than some dozens would")
    func manyNumbers() {
        var paces = LogPaces()
        let written = (0..<UInt32(20_000)).filter { paces.admit("line", of: $0) != nil }.count
        #expect(written < 1000)
    }
}
