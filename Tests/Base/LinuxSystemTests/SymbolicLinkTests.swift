import Glibc
import LinuxSystem
import TestSupport
import Testing

@Suite("The targets of symbolic links")
struct SymbolicLinkTests {
    @Test("A target that is not UTF-8 is refused, because two of them would be one text; every other is read")
    func encodings() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("link")
        for (target, isText) in [([0x61, 0x2F, 0x62], true), ([0xC3, 0xA9], true), ([0x61, 0xFF], false)] {
            var bytes = target.map { CChar(truncatingIfNeeded: $0) }
            bytes.append(0)
            let made = unsafe symlink(bytes, path)
            #expect(made == 0)
            let text = try? SymbolicLink.read(path)
            #expect(text.map { Array($0.utf8).map(Int.init) } == (isText ? target : nil))
            unsafe unlink(path)
        }
    }
}
