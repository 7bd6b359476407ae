import Testing

@testable import SecurityCommands

@Suite("The memory of files that were looked at") struct FileTrustTests {
    @Test("No other path and use have the account of a path with an arrow in it, or of a path and use that have one")
    func arrows() {
        let names = ["a", "a -> b", "a \\-> b", "a\\", "a -", ">", "a > b", "b -> c", "a -> b -> c"]
        let accounts = names.flatMap { path in names.map { "\(FileTrust.escaped(path)) -> \($0)" } }
        #expect(Set(accounts).count == names.count * names.count)
        #expect(FileTrust.escaped("/home/张三/.env") == "/home/张三/.env")
    }
}
