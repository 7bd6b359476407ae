// All of Security.
#ifndef SECURITY_SECURITY_H
#define SECURITY_SECURITY_H

#include <Security/SecBase.h>
#include <Security/SecItem.h>
#include <Security/SecKey.h>
#include <Security/SecCertificate.h>
#include <Security/SecIdentity.h>
#include <Security/SecAccessControl.h>
#include <Security/SecPolicy.h>
#include <Security/SecTrust.h>
#include <Security/SecRandom.h>
#include <Security/SecImportExport.h>
#include <Security/SecSharedCredential.h>
#include <Security/SecTask.h>
#include <Security/CSCommon.h>
#include <Security/SecCode.h>
#include <Security/SecStaticCode.h>
#include <Security/SecRequirement.h>
#include <Security/CMSEncoder.h>
#include <Security/CMSDecoder.h>
#include <Security/SecExtensions.h>

#endif
