/* console.table: rows and columns as a box-drawn table. */
#ifndef WEB_TABLE_H
#define WEB_TABLE_H

#include "web_text.h"

/* False, and nothing written, when `data` has no rows to show. */
bool table_put(JSContext *ctx, Text *out, JSValueConst data, JSValueConst columns);

#endif
