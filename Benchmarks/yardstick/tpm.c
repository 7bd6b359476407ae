// The cost of a signature by a TPM in C: one command of ESYS over and over, with everything else done before.
//
// The session is as the product's: an HMAC session salted to the storage key, which encrypts the digest on its way
// (AES-128-CFB), for a key with an authorisation of its own that stays loaded.
#include "yardstick.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tss2/tss2_esys.h>
#include <tss2/tss2_tctildr.h>

enum { DIGEST = 32, AUTH = 32 };

struct yardstick_tpm {
    TSS2_TCTI_CONTEXT *way;
    ESYS_CONTEXT *context;
    ESYS_TR storage, session, key;
    TPM2B_DIGEST digest;
};

static void check(TSS2_RC code, const char *what) {
    if (code == TSS2_RC_SUCCESS) return;
    fprintf(stderr, "yardstick: %s failed: %#x\n", what, code);
    exit(1);
}

static TPM2B_PUBLIC elliptic(TPMA_OBJECT attributes) {
    TPM2B_PUBLIC area = {.publicArea = {.type = TPM2_ALG_ECC, .nameAlg = TPM2_ALG_SHA256}};
    area.publicArea.objectAttributes = attributes | TPMA_OBJECT_FIXEDTPM | TPMA_OBJECT_FIXEDPARENT |
        TPMA_OBJECT_SENSITIVEDATAORIGIN | TPMA_OBJECT_USERWITHAUTH | TPMA_OBJECT_NODA | TPMA_OBJECT_DECRYPT;
    TPMS_ECC_PARMS *parameters = &area.publicArea.parameters.eccDetail;
    parameters->symmetric.algorithm = parameters->scheme.scheme = parameters->kdf.scheme = TPM2_ALG_NULL;
    parameters->curveID = TPM2_ECC_NIST_P256;
    return area;
}

static void make_storage(struct yardstick_tpm *tpm) {
    TPM2B_PUBLIC area = elliptic(TPMA_OBJECT_RESTRICTED);
    area.publicArea.parameters.eccDetail.symmetric =
        (TPMT_SYM_DEF_OBJECT){.algorithm = TPM2_ALG_AES, .keyBits.aes = 128, .mode.aes = TPM2_ALG_CFB};
    TPM2B_SENSITIVE_CREATE nothing = {0};
    TPM2B_DATA data = {0};
    TPML_PCR_SELECTION registers = {0};
    check(Esys_CreatePrimary(tpm->context, ESYS_TR_RH_OWNER, ESYS_TR_PASSWORD, ESYS_TR_NONE, ESYS_TR_NONE, &nothing,
              &area, &data, &registers, &tpm->storage, NULL, NULL, NULL, NULL), "TPM2_CreatePrimary");
}

static void start_session(struct yardstick_tpm *tpm) {
    TPMT_SYM_DEF cipher = {.algorithm = TPM2_ALG_AES, .keyBits.aes = 128, .mode.aes = TPM2_ALG_CFB};
    check(Esys_StartAuthSession(tpm->context, tpm->storage, ESYS_TR_NONE, ESYS_TR_NONE, ESYS_TR_NONE, ESYS_TR_NONE,
              NULL, TPM2_SE_HMAC, &cipher, TPM2_ALG_SHA256, &tpm->session), "TPM2_StartAuthSession");
    check(Esys_TRSess_SetAttributes(tpm->context, tpm->session,
              TPMA_SESSION_CONTINUESESSION | TPMA_SESSION_DECRYPT, 0xff), "the session's attributes");
}

static void make_key(struct yardstick_tpm *tpm) {
    TPM2B_PUBLIC area = elliptic(TPMA_OBJECT_SIGN_ENCRYPT), *public;
    TPM2B_PRIVATE *private;
    TPM2B_SENSITIVE_CREATE secrets = {.sensitive.userAuth.size = AUTH};
    memset(secrets.sensitive.userAuth.buffer, 7, AUTH);
    TPM2B_DATA data = {0};
    TPML_PCR_SELECTION registers = {0};
    check(Esys_Create(tpm->context, tpm->storage, tpm->session, ESYS_TR_NONE, ESYS_TR_NONE, &secrets, &area, &data,
              &registers, &private, &public, NULL, NULL, NULL), "TPM2_Create");
    check(Esys_Load(tpm->context, tpm->storage, tpm->session, ESYS_TR_NONE, ESYS_TR_NONE, private, public, &tpm->key),
        "TPM2_Load");
    check(Esys_TR_SetAuth(tpm->context, tpm->key, &secrets.sensitive.userAuth), "the key's authorisation");
    Esys_Free(private);
    Esys_Free(public);
}

struct yardstick_tpm *yardstick_tpm_open(const char *address) {
    struct yardstick_tpm *tpm = calloc(1, sizeof *tpm);
    if (!tpm) exit(1);
    check(Tss2_TctiLdr_Initialize(address, &tpm->way), "reaching the TPM");
    check(Esys_Initialize(&tpm->context, tpm->way, NULL), "ESYS");
    make_storage(tpm);
    start_session(tpm);
    make_key(tpm);
    tpm->digest.size = DIGEST;
    memset(tpm->digest.buffer, 7, DIGEST);
    return tpm;
}

void yardstick_tpm_close(struct yardstick_tpm *tpm) {
    ESYS_TR handles[] = {tpm->key, tpm->session, tpm->storage};
    for (int index = 0; index < 3; index++) Esys_FlushContext(tpm->context, handles[index]);
    Esys_Finalize(&tpm->context);
    Tss2_TctiLdr_Finalize(&tpm->way);
    free(tpm);
}

int yardstick_tpm_sign(struct yardstick_tpm *tpm) {
    TPMT_SIG_SCHEME scheme = {.scheme = TPM2_ALG_ECDSA, .details.ecdsa.hashAlg = TPM2_ALG_SHA256};
    TPMT_TK_HASHCHECK none = {.tag = TPM2_ST_HASHCHECK, .hierarchy = TPM2_RH_NULL};
    TPMT_SIGNATURE *signature;
    TSS2_RC code = Esys_Sign(tpm->context, tpm->key, tpm->session, ESYS_TR_NONE, ESYS_TR_NONE, &tpm->digest, &scheme,
        &none, &signature);
    if (code == TSS2_RC_SUCCESS) Esys_Free(signature);
    return code == TSS2_RC_SUCCESS;
}
