/* What enum and namespace have in common: an object that one or more parts fill. */
#include "ts_parser.h"

#include <stdio.h>
#include <string.h>

/* A name that the text does not contain, for the object inside bodies. */
const char *ts_inner(struct ts_parser *p)
{
    for (unsigned i = 0; !p->inner[0]; i++) {
        char name[sizeof p->inner];
        const char *at = p->src;
        snprintf(name, sizeof name, i ? "$ns%u" : "$ns", i);
        while ((at = memchr(at, '$', (size_t)(p->src + p->len - at))) != NULL && strncmp(at, name, strlen(name)) != 0)
            at++;
        if (!at)
            memcpy(p->inner, name, sizeof name);
    }
    return p->inner;
}

/* Numbers the parts of one enum or namespace; parts share their members. */
void ts_open_entity(struct ts_parser *p, struct ts_body *body, struct ts_span name, bool exported)
{
    uint32_t owner = exported && p->ctx.space ? p->ctx.space->entity : p->ctx.scope;
    struct ts_name *entity = ts_remember(p, owner, N_ENTITY, name);
    if (!entity)
        return;
    if (!entity->value)
        entity->value = ++p->last_id;
    body->entity = entity->value;
    struct ts_name *parts = ts_remember(p, body->entity, N_ENTITY, name);
    body->part = parts ? parts->value++ : 0;
    body->scope = ++p->last_id;
}

void ts_remember_member(struct ts_parser *p, const struct ts_body *body, struct ts_span name)
{
    bool known = ts_find(p, body->entity, N_MEMBER, name) != NULL;
    struct ts_name *member = known ? NULL : ts_remember(p, body->entity, N_MEMBER, name);
    if (member)
        member->value = body->part;
}

/* Text that declares the variable, unless a class, function or earlier part did, and opens the function. */
void ts_entity_header(struct ts_parser *p, struct ts_span name, bool exported)
{
    if (ts_find(p, p->ctx.scope, N_DECLARED, name)) {
        ts_text(p, ";");
    } else {
        if (exported && !p->ctx.space)
            ts_text(p, "export ");
        ts_text_format(p, p->ctx.in_block ? "let %;" : "var %;", name);
    }
    ts_text_format(p, "(function(@){", name);
}

void ts_entity_footer(struct ts_parser *p, struct ts_span name, bool exported)
{
    ts_text_format(p, exported && p->ctx.space ? "})(%=@.%||(@.%={}));" : "})(%||(%={}));", name);
}

/* Makes a declared name a member of the namespace around, after the statement just read. */
void ts_export_member(struct ts_parser *p, struct ts_span name, bool may_change)
{
    uint32_t from = p->texts.count;
    ts_remember_member(p, p->ctx.space, name);
    if (may_change)
        ts_text_format(p,
                       ";Object.defineProperty(@,\"%\",{enumerable:true,configurable:true,"
                       "get(){return %},set(@){%=@}});",
                       name);
    else
        ts_text_format(p, ";@.%=%;", name);
    ts_edit(p, p->prev_end, p->prev_end, from, p->texts.count - from);
}
