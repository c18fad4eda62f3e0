/* What is left of imports and exports once the whole text is known: an import
 * goes when nothing uses it as a value, an export when it names only a type.
 */
#include "ts_parser.h"

static bool only_a_type(const struct ts_parser *p, struct ts_span name)
{
    return ts_find(p, 0, N_TYPE, name) && !ts_find(p, 0, N_DECLARED, name);
}

static bool dropped(const struct ts_parser *p, const struct ts_pending *list, const struct ts_specifier *s)
{
    if (s->type_only)
        return true;
    if (list->kind == P_IMPORT)
        return !ts_find(p, 0, N_USED, s->name);
    return !list->had_from && only_a_type(p, s->name);
}

/* Drops the parts of an import or export list that name types, or the whole of it. */
static void settle_list(struct ts_parser *p, const struct ts_pending *list)
{
    uint32_t gone = 0, gone_in_braces = 0, in_braces = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        const struct ts_specifier *s = p->specifiers.at + list->first + i;
        bool drop = dropped(p, list, s);
        gone += drop;
        in_braces += s->in_braces;
        gone_in_braces += drop && s->in_braces;
    }
    if (gone == list->count && !(list->had_from && !list->count)) {
        ts_replace(p, list->whole.start, list->whole.end, ";");
        return;
    }
    bool drop_braces = in_braces && gone_in_braces == in_braces;
    for (uint32_t i = 0; i < list->count; i++) {
        const struct ts_specifier *s = p->specifiers.at + list->first + i;
        if (dropped(p, list, s) && !(s->in_braces && drop_braces))
            ts_blank(p, s->region.start, s->region.end);
    }
    if (drop_braces)
        ts_blank(p, list->braces.start, list->braces.end);
}

/* Only an alias that is used uses its target. Backwards, as an alias may name an earlier one. */
static void use_targets(struct ts_parser *p)
{
    for (uint32_t i = p->pending.count; i-- > 0;) {
        const struct ts_pending item = p->pending.at[i];
        if (item.kind == P_ALIAS && ts_find(p, 0, N_USED, item.braces))
            ts_use(p, item.target);
    }
}

/* At the end, when all uses are known. */
void ts_settle_modules(struct ts_parser *p)
{
    use_targets(p);
    for (uint32_t i = 0; i < p->pending.count; i++) {
        const struct ts_pending item = p->pending.at[i];
        switch (item.kind) {
        case P_IMPORT:
        case P_EXPORT:
            settle_list(p, &item);
            break;
        case P_EXPORT_DEFAULT:
            if (only_a_type(p, item.braces))
                ts_replace(p, item.whole.start, item.whole.end, ";");
            break;
        case P_ALIAS:
            if (ts_find(p, 0, N_USED, item.braces))
                ts_replace(p, item.whole.start, item.whole.start + 6, "var");
            else
                ts_replace(p, item.whole.start, item.whole.end, ";");
            break;
        }
    }
}
