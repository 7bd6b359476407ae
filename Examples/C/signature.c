// Makes a key, signs with it and verifies the signature.
//
//     cc signature.c $(pkg-config --cflags --libs security) -o signature && ./signature
#include <Security/Security.h>
#include <stdio.h>

static void report(const char *what, CFErrorRef error) {
    char buffer[512] = "";
    CFStringRef description = CFErrorCopyDescription(error);
    CFStringGetCString(description, buffer, sizeof buffer, kCFStringEncodingUTF8);
    printf("%s: %ld, %s\n", what, CFErrorGetCode(error), buffer);
    CFRelease(description);
    CFRelease(error);
}

static SecKeyRef makeKey(int bits) {
    CFNumberRef size = CFNumberCreate(NULL, kCFNumberIntType, &bits);
    const void *keys[] = {kSecAttrKeyType, kSecAttrKeySizeInBits};
    const void *values[] = {kSecAttrKeyTypeECSECPrimeRandom, size};
    CFDictionaryRef parameters =
        CFDictionaryCreate(NULL, keys, values, 2, &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks);
    CFErrorRef error = NULL;
    SecKeyRef key = SecKeyCreateRandomKey(parameters, &error);
    CFRelease(parameters);
    CFRelease(size);
    if (key == NULL) report("no key", error);
    return key;
}

int main(void) {
    // A function makes an error if the caller has a place for it. The caller releases it.
    if (makeKey(257) != NULL) return 1;
    SecKeyRef key = makeKey(256);
    if (key == NULL) return 1;
    printf("a key of %zu bytes\n", SecKeyGetBlockSize(key));

    const char text[] = "what is signed";
    CFDataRef message = CFDataCreate(NULL, (const UInt8 *)text, sizeof text - 1);
    CFErrorRef error = NULL;
    CFDataRef signature = SecKeyCreateSignature(key, kSecKeyAlgorithmECDSASignatureMessageX962SHA256, message, &error);
    if (signature == NULL) {
        report("no signature", error);
        return 1;
    }

    SecKeyRef publicKey = SecKeyCopyPublicKey(key);
    bool holds = SecKeyVerifySignature(
        publicKey, kSecKeyAlgorithmECDSASignatureMessageX962SHA256, message, signature, &error);
    printf("the signature of %ld bytes %s\n", CFDataGetLength(signature), holds ? "holds" : "does not hold");

    CFDataRef other = CFDataCreate(NULL, (const UInt8 *)text, 4);
    bool holdsOther = SecKeyVerifySignature(
        publicKey, kSecKeyAlgorithmECDSASignatureMessageX962SHA256, other, signature, &error);
    if (!holdsOther) report("of other data", error);

    CFRelease(other);
    CFRelease(publicKey);
    CFRelease(signature);
    CFRelease(message);
    CFRelease(key);
    return holds && !holdsOther ? 0 : 1;
}
