#pragma once
#include <curl/curl.h>

// Swift calls no function whose parameters depend on the one before.

typedef size_t (*ccurl_receiver)(const char *bytes, size_t size, size_t count, void *context);

static inline CURLcode ccurl_set_text(CURL *handle, CURLoption option, const char *text) {
    return curl_easy_setopt(handle, option, text);
}

static inline CURLcode ccurl_set_number(CURL *handle, CURLoption option, long number) {
    return curl_easy_setopt(handle, option, number);
}

/// The body of a request; the bytes are not copied.
static inline CURLcode ccurl_set_body(CURL *handle, const void *bytes, size_t count) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)count);
    return code != CURLE_OK ? code : curl_easy_setopt(handle, CURLOPT_POSTFIELDS, bytes);
}

static inline CURLcode ccurl_set_headers(CURL *handle, struct curl_slist *headers) {
    return curl_easy_setopt(handle, CURLOPT_HTTPHEADER, headers);
}

static inline CURLcode ccurl_set_receiver(CURL *handle, ccurl_receiver receiver, void *context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, receiver);
    return code != CURLE_OK ? code : curl_easy_setopt(handle, CURLOPT_WRITEDATA, context);
}

static inline long ccurl_status(CURL *handle) {
    long status = 0;
    curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
    return status;
}
