/* URL and URLSearchParams, on the ada-url parser. */
#ifndef WEB_URL_H
#define WEB_URL_H

#include "quickjs.h"

typedef struct UrlSpan {
    const char *at;
    uint32_t length;
} UrlSpan;

int url_init(JSContext *ctx);
/* What console output shows of them; false when `object` is not one. */
bool url_peek_href(JSValueConst object, UrlSpan *href);
bool url_peek_param(JSValueConst object, uint32_t i, UrlSpan *key, UrlSpan *value);

#endif
