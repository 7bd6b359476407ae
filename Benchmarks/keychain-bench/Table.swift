extension Figure {
    /// All rows, in the order they are measured.
    static var table: [Figure] {
        [
            Figure("handler", "daemon handler, in process", "C handler", .atMost(1.10)) { try $0.measureHandler() },
            Figure("lookup", "SecItemCopyMatching, one client", "C client, C daemon", .atMost(1.5)) {
                try $0.measureCopyMatching()
            },
            Figure("echo", "the same", "C client, C echo of the same sizes", .atMost(2.3)) { try $0.measureEcho() },
            Figure("enclave", "the same, enclave in its own process", "enclave inside the daemon", .atMost(1.5)) {
                try $0.measureEnclave()
            },
            Figure(
                "first-call", "first SecItemCopyMatching of a process", "the same from one who asks nobody's name",
                .atMost(1.10)
            ) {
                try $0.measureFirstCall()
            },
            Figure(
                "reconnecting", "first SecItemCopyMatching of a connection", "the same from one who asks nobody's name",
                .atMost(1.10)
            ) {
                try $0.measureConnectingAgain()
            },
            Figure(
                "connecting", "connection and first request, client in C", "the same from one who asks nobody's name",
                .atMost(1.10)
            ) {
                try $0.measureConnecting()
            },
            Figure(
                "first-request", "first request alone, client in C", "the same from one who asks nobody's name",
                .atMost(1.10)
            ) {
                try $0.measureFirstRequest()
            },
            Figure("later-request", "later requests", "the same from one who asks nobody's name", .atMost(1.05)) {
                try $0.measureLaterRequest()
            },
            Figure("many", "the same in the large store", "in a store of 1,000 items", .atMost(1.5)) {
                try $0.measureManyItems()
            },
            Figure("throughput", "lookups of 8 clients", "8 C clients, C daemon", .atLeast(0.65)) {
                try $0.measureThroughput()
            },
            Figure("embedded", "embedded lookup", "point read, row check and decryptions in C", .atMost(2.6)) {
                try $0.measureEmbedded()
            },
            Figure("add", "durable add", "C client, C daemon and enclave, same SQLite", .atMost(1.5)) {
                try $0.measureDurableAdd()
            },
            Figure("writers", "adds of 16 writers", "16 C clients, C daemon with group commit", .atLeast(0.65)) {
                try $0.measureWriters()
            },
            Figure("enumeration", "10,000 items, attributes and data", "10,000 point reads in C", .atMost(2)) {
                try $0.measureEnumeration()
            },
            Figure("command", "security find-generic-password -w", "C program, same round trip", .atMost(1.6)) {
                try $0.measureCommand()
            },
            Figure("idle-memory", "memory of keychaind, idle", "–", .atMost(20)) { try $0.measureIdleMemory() },
            Figure("full-memory", "memory of keychaind, 100,000 items", "–", .atMost(40)) {
                try $0.measureFullMemory()
            },
        ] + keys + (Keyring.isInstalled ? keyring : [])
    }

    /// The same compared with gnome-keyring, where that is installed.
    private static var keyring: [Figure] {
        [
            Figure(
                "keyring-list", "1,000 items, attributes and data", "gnome-keyring: secrets of 1,000 items", .reported
            ) { try $0.measureKeyringList(items: 1000) },
            Figure("keyring-get", "SecItemCopyMatching, 1,000 items", "gnome-keyring: search and secret", .reported) {
                try $0.measureKeyringGet()
            },
            Figure("keyring-add", "SecItemAdd", "gnome-keyring: an item", .reported) { try $0.measureKeyringAdd() },
            Figure(
                "keyring-list-10000", "10,000 items, attributes and data", "gnome-keyring: secrets of 10,000 items",
                .reported
            ) { try $0.measureKeyringList(items: 10_000) },
            Figure("bridge-get", "over the bus: search and secret", "gnome-keyring: the same calls", .reported) {
                try $0.measureBridge("get", count: 100)
            },
            Figure("bridge-add", "over the bus: an item", "gnome-keyring: the same calls", .reported) {
                try $0.measureBridge("add", count: 10)
            },
            Figure("bridge-list", "over the bus: 1,000 secrets", "gnome-keyring: the same calls", .reported) {
                try $0.measureBridgeList(items: 1000)
            },
            Figure("bridge-list-10000", "over the bus: 10,000 secrets", "gnome-keyring: the same calls", .reported) {
                try $0.measureBridgeList(items: 10_000)
            },
        ]
    }

    /// Operations with keys, called as on iOS, compared with OpenSSL's own.
    private static var keys: [Figure] {
        [
            Figure("sign", "P-256 signature", "OpenSSL", .atMost(1.3)) { try $0.measureSigning() },
            Figure("verify", "P-256 verification", "OpenSSL", .atMost(1.3)) { try $0.measureVerifying() },
            Figure("exchange", "P-256 key exchange", "OpenSSL", .atMost(1.3)) { try $0.measureKeyExchange() },
            Figure("rsa-sign", "RSA-2048 signature", "OpenSSL", .atMost(1.3)) { try $0.measureRSASigning() },
            Figure("rsa-verify", "RSA-2048 verification", "OpenSSL", .atMost(1.3)) { try $0.measureRSAVerifying() },
            Figure(
                "enclave-sign", "P-256 signature in the enclave, through keychaind",
                "in the program, and the same round trips", .atMost(1.3)
            ) { try $0.measureEnclaveSigning() },
            Figure("tpm-sign", "P-256 signature in a TPM (swtpm)", "C program with ESYS", .atMost(1.2)) {
                try $0.measureTPMSigning()
            },
        ]
    }
}
