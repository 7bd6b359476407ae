// C programs write and read protected files, whole and in pieces.
#include "check.h"

#include <string.h>
#include <unistd.h>

enum { SIZE = 200000, PIECE = 70000 };
static UInt8 content[SIZE], memory[SIZE + 1];
static char path[4096], other[4096];

static size_t stored(const char *file, UInt8 *bytes, size_t size) {
    FILE *open = fopen(file, "rb");
    if (open == NULL) return 0;
    size_t count = fread(bytes, 1, size, open);
    fclose(open);
    return count;
}

static void store(const char *file, const UInt8 *bytes, size_t size) {
    FILE *made = fopen(file, "wb");
    CHECK(made != NULL && fwrite(bytes, 1, size, made) == size && fclose(made) == 0);
}

static SecProtectedFileRef opened(void) {
    SecProtectedFileRef file = NULL;
    CHECK(SecProtectedFileOpen(path, &file) == errSecSuccess && CFGetTypeID(file) == SecProtectedFileGetTypeID());
    return file;
}

static void written(void) {
    CFDictionaryRef options = dictionary(kSecAttrLabel, CFSTR("letters"), NULL);
    SecProtectedFileRef file = NULL;
    CHECK(SecProtectedFileCreate(path, kSecFileProtectionComplete, options, &file) == errSecSuccess);
    for (size_t place = 0; place < SIZE; place += PIECE) {
        size_t rest = SIZE - place;
        CHECK(SecProtectedFileAppend(file, content + place, rest < PIECE ? rest : PIECE) == errSecSuccess);
    }
    CHECK(SecProtectedFileAppend(file, NULL, 0) == errSecSuccess);
    size_t done = 0;
    CHECK(SecProtectedFileRead(file, 0, memory, 1, &done) == errSecParam);
    // It has its name when it is complete.
    CHECK(access(path, F_OK) != 0 && SecProtectedFileClose(file) == errSecSuccess && access(path, F_OK) == 0);
    CHECK(SecProtectedFileAppend(file, content, 1) == errSecParam);
    CFRelease(file), CFRelease(options);
    SecFileProtection protection = 0;
    CHECK(SecProtectedFileGetProtection(path, &protection) == errSecSuccess);
    CHECK(protection == kSecFileProtectionComplete);
    size_t count = stored(path, memory, sizeof memory);
    CHECK(count == sizeof memory && memcmp(memory, "\x89KCFILE\n", 8) == 0);
    CHECK(memcmp(memory + 8192, content, 1000) != 0);
}

static void readAnywhere(void) {
    SecProtectedFileRef file = opened();
    uint64_t length = 0;
    CHECK(SecProtectedFileGetLength(file, &length) == errSecSuccess && length == SIZE);
    size_t done = 0;
    const size_t places[] = {0, 1, 65530, 131072, SIZE - 10, SIZE, SIZE + 9};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        size_t rest = places[i] < SIZE ? SIZE - places[i] : 0, wanted = rest < 20 ? rest : 20;
        CHECK(SecProtectedFileRead(file, places[i], memory, 20, &done) == errSecSuccess && done == wanted);
        CHECK(memcmp(memory, content + (places[i] < SIZE ? places[i] : 0), done) == 0);
    }
    CHECK(SecProtectedFileRead(file, 0, memory, sizeof memory, &done) == errSecSuccess && done == SIZE);
    CHECK(memcmp(memory, content, SIZE) == 0);
    CHECK(SecProtectedFileAppend(file, content, 1) == errSecParam);
    CHECK(SecProtectedFileClose(file) == errSecSuccess);
    CHECK(SecProtectedFileRead(file, 0, memory, 1, &done) == errSecParam && done == 0);
    CFRelease(file);
}

static void whole(void) {
    CFDataRef bytes = CFDataCreate(NULL, content, SIZE), found = NULL;
    SecFileProtection here = kSecFileProtectionNone | kSecFileProtectionThisDeviceOnly;
    CHECK(SecProtectedFileWriteData(other, bytes, here, NULL) == errSecSuccess);
    CHECK(SecProtectedFileCopyData(other, &found) == errSecSuccess && CFEqual(found, bytes));
    CFRelease(found);
    // A plain file is encrypted in its place, and a protected one goes to another class.
    store(other, content, SIZE);
    CHECK(SecProtectedFileCopyData(other, &found) != errSecSuccess && found == NULL);
    CFErrorRef error = SecCopyLastItemError();
    CFTypeRef rule = CFDictionaryGetValue(CFErrorCopyUserInfo(error), CFSTR("SecItemErrorRule"));
    CHECK(CFEqual(rule, CFSTR("file.not-protected")));
    CFRelease(error);
    const SecFileProtection classes[] = {kSecFileProtectionCompleteUnlessOpen, kSecFileProtectionNone};
    for (size_t i = 0; i < 2; i++) {
        SecFileProtection protection = 0;
        CHECK(SecProtectedFileProtect(other, classes[i], NULL) == errSecSuccess);
        CHECK(SecProtectedFileGetProtection(other, &protection) == errSecSuccess && protection == classes[i]);
        CHECK(SecProtectedFileCopyData(other, &found) == errSecSuccess && CFEqual(found, bytes));
        CFRelease(found);
    }
    CFRelease(bytes);
}

static void damaged(void) {
    size_t count = stored(path, memory, sizeof memory), done = 9;
    CHECK(count > 100);
    FILE *file = fopen(path, "r+b");
    CHECK(file != NULL && fseek(file, 8192 + 10, SEEK_SET) == 0 && fputc(memory[8202] ^ 1, file) != EOF);
    CHECK(fclose(file) == 0);
    SecProtectedFileRef open = opened();
    memset(memory, 7, sizeof memory);
    CHECK(SecProtectedFileRead(open, 0, memory, SIZE, &done) == errSecDecode && done == 0);
    CHECK(memory[0] != content[0] || memory[1] != content[1]);
    CHECK(SecProtectedFileRead(open, 131072, memory, 100, &done) == errSecSuccess && done == 100);
    CFRelease(open);
    CHECK(truncate(path, 100000) == 0 && SecProtectedFileOpen(path, &open) == errSecDecode && open == NULL);
}

static void givenUp(void) {
    SecProtectedFileRef file = NULL;
    store(path, content, 10);
    CHECK(SecProtectedFileCreate(path, kSecFileProtectionNone, NULL, &file) == errSecSuccess);
    CHECK(SecProtectedFileAppend(file, content, SIZE) == errSecSuccess);
    CFRelease(file);
    CHECK(stored(path, memory, sizeof memory) == 10 && memcmp(memory, content, 10) == 0);
}

static void recoverable(void) {
    CFStringRef recipient = CFSTR("age1tp5zqguqs5agqpwmpukjjel2jaz8mrteexmrafcpv5qpxdptc5jqdzdrrw");
    CFArrayRef recipients = CFArrayCreate(NULL, (const void **)&recipient, 1, &kCFTypeArrayCallBacks);
    CFDictionaryRef recovery = dictionary(kSecProtectedFileRecovery, recipients, NULL);
    // The header of a file has a slot for each: their number stands at 14, and the third kind behind the shelf's.
    CFDataRef given = CFDataCreate(NULL, content, 10);
    CHECK(SecProtectedFileWriteData(path, given, kSecFileProtectionNone, recovery) == errSecSuccess);
    CHECK(stored(path, memory, 256) == 256 && memory[14] == 2 && memory[64 + 80] == 3);
    CHECK(SecProtectedFileWriteData(path, given, kSecFileProtectionNone, NULL) == errSecSuccess);
    CHECK(stored(path, memory, 256) == 256 && memory[14] == 1);
    CFDictionaryRef text = dictionary(kSecProtectedFileRecovery, recipient, NULL);
    CHECK(SecProtectedFileWriteData(path, given, kSecFileProtectionNone, text) == errSecParam);
    CFRelease(recipients), CFRelease(recovery), CFRelease(given), CFRelease(text);
}

static void refused(void) {
    SecProtectedFileRef file = NULL;
    CFDictionaryRef unknown = dictionary(kSecAttrAccount, CFSTR("x"), NULL);
    CHECK(SecProtectedFileCreate(path, kSecFileProtectionNone, unknown, &file) == errSecParam && file == NULL);
    CFRelease(unknown);
    CHECK(SecProtectedFileCreate(path, (SecFileProtection)9, NULL, &file) == errSecParam);
    CHECK(SecProtectedFileOpen("", &file) == errSecParam && SecProtectedFileOpen(path, NULL) == errSecParam);
    CHECK(SecProtectedFileOpen("/no/where", &file) == errSecIO && file == NULL);
}

int main(void) {
    const char *home = getenv("KEYCHAIN_HOME");
    CHECK(home != NULL);
    snprintf(path, sizeof path, "%s/file", home), snprintf(other, sizeof other, "%s/other", home);
    for (size_t i = 0; i < SIZE; i++) content[i] = (UInt8)(i * 31 + i / 251);
    written();
    readAnywhere();
    whole();
    damaged();
    givenUp();
    recoverable();
    refused();
    printf("files: %s\n", "all hold");
    return 0;
}
