import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@testable import UserPresence

struct EnrolmentTests {
    private static let enrolment = Enrolment(
        reader: "Reader", scanType: "press", user: "ann", fingers: ["left-thumb", "right-thumb"],
        prints: [
            .init(path: "/a", inode: 1, size: 2, changed: 3), .init(path: "/b", inode: 4, size: 5, changed: 6),
        ])

    @Test(
        "an enrolment changes with every finger, reader, user and print, and with nothing else",
        .rule("authentication.biometry.enrolment"))
    func changes() {
        let original = Self.enrolment.digest
        #expect(original.count == BiometryStatus.enrolmentBytes)
        var same = Self.enrolment
        same.fingers.reverse()
        same.prints.reverse()
        #expect(same.digest == original)
        let alterations: [@Sendable (inout Enrolment) -> Void] = [
            { $0.fingers.removeLast() }, { $0.fingers.append("left-index-finger") }, { $0.fingers[0] = "left-thum" },
            { $0.reader = "Reader2" }, { $0.scanType = "swipe" }, { $0.user = "bob" },
            { ($0.reader, $0.scanType) = ("Readerp", "ress") }, { $0.prints.removeLast() },
            { $0.prints[0] = .init(path: "/a", inode: 9, size: 2, changed: 3) },
            { $0.prints[0] = .init(path: "/a", inode: 1, size: 9, changed: 3) },
            { $0.prints[0] = .init(path: "/a", inode: 1, size: 2, changed: 9) },
        ]
        var seen: Set = [original]
        for alter in alterations {
            var changed = Self.enrolment
            alter(&changed)
            let isNew = seen.insert(changed.digest).inserted
            #expect(isNew)
        }
    }

    @Test(
        "where fprintd's store can be seen, a print that is made again under the same name shows",
        .rule("authentication.biometry.enrolment"))
    func store() throws {
        let folder = try TemporaryDirectory()
        #expect(Enrolment.storedPrints(of: "ann", in: folder.path).isEmpty)
        try PrivateDirectory.ensure(folder.file("ann/driver/device"))
        try AtomicFile.replace(folder.file("ann/driver/device/7"), with: [1].span)
        let before = Enrolment.storedPrints(of: "ann", in: folder.path)
        #expect(before.map(\.path) == [folder.file("ann/driver/device/7")])
        try AtomicFile.replace(folder.file("ann/driver/device/7"), with: [1].span)
        let after = Enrolment.storedPrints(of: "ann", in: folder.path)
        var (one, other) = (Self.enrolment, Self.enrolment)
        (one.prints, other.prints) = (before, after)
        #expect(one.digest != other.digest)
    }

    @Test("a name that leads elsewhere is not followed", arguments: ["", ".", "..", "../ann", "/etc", "a/b"])
    func names(_ user: String) throws {
        let folder = try TemporaryDirectory()
        try PrivateDirectory.ensure(folder.file("store"))
        try AtomicFile.replace(folder.file("store/x"), with: [1].span)
        #expect(Enrolment.storedPrints(of: user, in: folder.file("store")).isEmpty)
    }
}
