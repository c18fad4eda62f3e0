/* URLSearchParams, and its live link with the URL it came from. */
#ifndef WEB_URL_PARAMS_H
#define WEB_URL_PARAMS_H

#include "quickjs.h"

int params_init(JSContext *ctx);
/* An empty list that writes its changes to the search part of `url`. */
JSValue params_of_url(JSContext *ctx, JSValueConst url);
void params_reset(JSValueConst params, const char *query, size_t n);

/* --- offered by web_url.c --- */

void url_take_search(JSValueConst url, const char *text, size_t n);
/* The heap of the C++ side (url.cpp). */
void *url_alloc(size_t size);
void url_release(void *block);
/* False, with an exception pending, when memory for n bytes of text is short. */
bool url_reserve(JSContext *ctx, size_t n);

#endif
