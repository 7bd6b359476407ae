import SyncFormat
import Testing

@Suite("Where a circle is kept")
struct SyncPlaceTests {
    @Test("Folders, servers and buckets are told apart, and each has one spelling")
    func kinds() {
        #expect(SyncPlace("/home/me/Sync") == .folder("/home/me/Sync"))
        #expect(SyncPlace("folder:/home/me/Sync")?.text == "folder:/home/me/Sync")
        #expect(SyncPlace("/home/me/Sync")?.text == "folder:/home/me/Sync")
        for url in ["postgresql://me@host:5432/base?sslrootcert=/ca.pem", "postgres://me@%2Ftmp/base"] {
            #expect(SyncPlace(url) == .server(url) && SyncPlace(url)?.text == url && SyncPlace(url)?.isRemote == true)
        }
        #expect(SyncPlace("https://host:9000/bucket") == .bucket("https://host:9000/bucket"))
        #expect(SyncPlace("/")?.isRemote == false)
    }

    @Test(
        "What has a password in it, or could be mistaken where it is shown, is no place",
        arguments: [
            "", "folder:", "relative", "file:/tmp", "/home\u{1b}[2J", "/a\nplace b", "postgresql://me:secret@host/base",
            "postgresql://me@host/base?password=x", "postgresql://me@host/base?sslPassword=x",
            "postgresql://host/ba se", "postgresql://hóst/base", "https://key:secret@host/bucket",
            "https://host/bucket\n", "POSTGRESQL://host/base",
        ])
    func none(text: String) { #expect(SyncPlace(text) == nil) }
}
