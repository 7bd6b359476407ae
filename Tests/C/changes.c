// C programs hear that items of their groups have changed.
#include "check.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t heard = PTHREAD_COND_INITIALIZER;
static int calls;
static uint64_t last;
static bool isUnderWay, mayGoOn;
static SecKeychainChangesRef endsItself;

static void changed(CFStringRef group, uint64_t number, void *context) {
    CHECK(group != NULL && CFGetTypeID(group) == CFStringGetTypeID() && context == &calls);
    pthread_mutex_lock(&mutex);
    calls++;
    last = number;
    pthread_cond_broadcast(&heard);
    pthread_mutex_unlock(&mutex);
}

// A watch can be ended by the function that it calls.
static void endedInside(CFStringRef group, uint64_t number, void *context) {
    SecKeychainChangesInvalidate(endsItself);
    changed(group, number, context);
}

static void heldInside(CFStringRef group, uint64_t number, void *context) {
    CHECK(group != NULL && number > 0 && context == &calls);
    pthread_mutex_lock(&mutex);
    isUnderWay = true;
    pthread_cond_broadcast(&heard);
    while (!mayGoOn) pthread_cond_wait(&heard, &mutex);
    pthread_mutex_unlock(&mutex);
}

static void waitFor(int count) {
    pthread_mutex_lock(&mutex);
    while (calls < count) pthread_cond_wait(&heard, &mutex);
    pthread_mutex_unlock(&mutex);
}

static void add(CFStringRef account) {
    CFDictionaryRef item = dictionary(
        kSecClass, kSecClassGenericPassword, kSecAttrService, CFSTR("changes"), kSecAttrAccount, account, NULL);
    CHECK(SecItemAdd(item, NULL) == errSecSuccess);
    CFRelease(item);
}

static SecKeychainChangesRef watched(CFDictionaryRef since, SecKeychainChangesCallback callback) {
    SecKeychainChangesRef changes = NULL;
    CHECK(SecKeychainChangesCreate(NULL, since, callback, &calls, &changes) == errSecSuccess);
    CHECK(CFGetTypeID(changes) == SecKeychainChangesGetTypeID());
    return changes;
}

static void told(CFDictionaryRef *numbers) {
    SecKeychainChangesRef changes = watched(NULL, changed);
    *numbers = SecKeychainChangesCopyNumbers(changes);
    CHECK(CFDictionaryGetCount(*numbers) >= 1);
    add(CFSTR("a"));
    waitFor(1);
    SecKeychainChangesInvalidate(changes);
    // Nobody is called from now on.
    int before = calls;
    add(CFSTR("b"));
    SecKeychainChangesRef later = watched(*numbers, changed);
    // Of what it has missed: one call, as two changes of one group.
    waitFor(before + 1);
    CFRelease(later), CFRelease(changes);
    CHECK(calls == before + 1 && last < (1ull << 63));
}

static void ended(CFDictionaryRef numbers) {
    int before = calls;
    // It is in its place before the first call.
    CHECK(SecKeychainChangesCreate(NULL, numbers, endedInside, &calls, &endsItself) == errSecSuccess);
    waitFor(before + 1);
    add(CFSTR("c"));
    CFRelease(endsItself);
    CHECK(calls == before + 1);
}

// A child of fork ends its copy of a watch at once, also while the parent's thread calls.
static void forked(CFDictionaryRef numbers) {
    SecKeychainChangesRef changes = watched(numbers, heldInside);
    pthread_mutex_lock(&mutex);
    while (!isUnderWay) pthread_cond_wait(&heard, &mutex);
    pthread_mutex_unlock(&mutex);
    pid_t child = fork();
    if (child == 0) {
        SecKeychainChangesInvalidate(changes);
        CFRelease(changes);
        _exit(0);
    }
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    pthread_mutex_lock(&mutex);
    mayGoOn = true;
    pthread_cond_broadcast(&heard);
    pthread_mutex_unlock(&mutex);
    CFRelease(changes);
}

static void refused(void) {
    SecKeychainChangesRef changes = (SecKeychainChangesRef)&calls;
    CFStringRef name = CFSTR("another program's");
    CFArrayRef groups = CFArrayCreate(NULL, (const void **)&name, 1, &kCFTypeArrayCallBacks);
    CHECK(SecKeychainChangesCreate(groups, NULL, changed, NULL, &changes) == errSecMissingEntitlement);
    CHECK(changes == NULL);
    CFErrorRef reason = SecCopyLastItemError();
    CHECK(reason != NULL && CFErrorGetCode(reason) == errSecMissingEntitlement);
    CFRelease(reason), CFRelease(groups);
    groups = CFArrayCreate(NULL, NULL, 0, &kCFTypeArrayCallBacks);
    CHECK(SecKeychainChangesCreate(groups, NULL, changed, NULL, &changes) == errSecParam);
    CFRelease(groups);
    CFTypeRef numbers = dictionary(name, name, NULL), wrong = CFSTR("text");
    CHECK(SecKeychainChangesCreate(NULL, (CFDictionaryRef)numbers, changed, NULL, &changes) == errSecParam);
    CHECK(SecKeychainChangesCreate((CFArrayRef)wrong, NULL, changed, NULL, &changes) == errSecParam);
    CHECK(SecKeychainChangesCreate(NULL, (CFDictionaryRef)wrong, changed, NULL, &changes) == errSecParam);
    CFRelease(numbers);
    SecKeychainChangesCallback none = NULL;
    SecKeychainChangesRef *nowhere = NULL, nothing = NULL;
    CHECK(SecKeychainChangesCreate(NULL, NULL, none, NULL, &changes) == errSecParam);
    CHECK(SecKeychainChangesCreate(NULL, NULL, changed, NULL, nowhere) == errSecParam);
    CHECK(SecKeychainChangesCopyNumbers(nothing) == NULL);
    SecKeychainChangesInvalidate(nothing);
}

int main(void) {
    CFDictionaryRef numbers = NULL;
    told(&numbers);
    ended(numbers);
    forked(numbers);
    CFRelease(numbers);
    refused();
    puts("changes: each was told");
    return 0;
}
