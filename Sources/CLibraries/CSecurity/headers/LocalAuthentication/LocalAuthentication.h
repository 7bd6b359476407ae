// The part of LocalAuthentication that C has. The functions of Security prompt the user for items with access control.
#ifndef LOCALAUTHENTICATION_LOCALAUTHENTICATION_H
#define LOCALAUTHENTICATION_LOCALAUTHENTICATION_H

#include <LocalAuthentication/LAPublicDefines.h>
#include <Security/SecBase.h>

#endif
