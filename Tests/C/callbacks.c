// The functions that call back. Built by compilers with blocks only.
//
//     callbacks CERTIFICATE, a DER file
#include "check.h"

#include <dispatch/dispatch.h>

static SecTrustRef evaluation(const char *path) {
    CFDataRef encoded = contents(path);
    SecCertificateRef certificate = SecCertificateCreateWithData(NULL, encoded);
    SecTrustRef trust = NULL;
    CHECK(SecTrustCreateWithCertificates(certificate, NULL, &trust) == errSecSuccess);
    CFRelease(certificate), CFRelease(encoded);
    return trust;
}

int main(int count, char **arguments) {
    CHECK(count == 2);
    SecTrustRef trust = evaluation(arguments[1]);
    dispatch_queue_t queue = dispatch_queue_create("callbacks", NULL);
    dispatch_semaphore_t called = dispatch_semaphore_create(0);

    CHECK(SecTrustEvaluateAsync(trust, queue, ^(SecTrustRef evaluated, SecTrustResultType result) {
        CHECK(evaluated == trust && result == kSecTrustResultRecoverableTrustFailure);
        dispatch_semaphore_signal(called);
    }) == errSecSuccess);
    CHECK(SecTrustEvaluateAsyncWithError(trust, queue, ^(SecTrustRef evaluated, bool believed, CFErrorRef error) {
        CHECK(evaluated == trust && !believed && CFGetTypeID(error) == CFErrorGetTypeID());
        dispatch_semaphore_signal(called);
    }) == errSecSuccess);
    // The evaluation lives until its callback has run.
    CFRelease(trust);
    dispatch_semaphore_wait(called, DISPATCH_TIME_FOREVER);
    dispatch_semaphore_wait(called, DISPATCH_TIME_FOREVER);

    SecTrustRef none = NULL;
    CHECK(SecTrustEvaluateAsync(none, queue, ^(SecTrustRef evaluated, SecTrustResultType result) {
        CHECK(evaluated == NULL && result == 99);
    }) == errSecParam);
    __block int refused = 0;
    SecAddSharedWebCredential(CFSTR("example.org"), CFSTR("anna"), NULL, ^(CFErrorRef error) {
        CHECK(CFErrorGetCode(error) == errSecUnimplemented);
        refused++;
    });
    SecRequestSharedWebCredential(NULL, NULL, ^(CFArrayRef credentials, CFErrorRef error) {
        CHECK(credentials == NULL && CFErrorGetCode(error) == errSecUnimplemented);
        refused++;
    });
    CHECK(refused == 2);
    dispatch_release(called), dispatch_release(queue);
    puts("callbacks: all blocks were called");
    return 0;
}
