// What C has of LocalAuthentication. The user is asked by the functions of Security, for items that are guarded.
#ifndef LOCALAUTHENTICATION_LOCALAUTHENTICATION_H
#define LOCALAUTHENTICATION_LOCALAUTHENTICATION_H

#include <LocalAuthentication/LAPublicDefines.h>
#include <Security/SecBase.h>

#endif
