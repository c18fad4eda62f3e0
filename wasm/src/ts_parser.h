/* What the parts of the TypeScript stripper share. Private to ts_*.c.
 *
 * typescript.c      entry, result
 * ts_edits.c        the list of changes, names met on the way, the output
 * ts_lexer.c        text -> tokens
 * ts_words.c        the words, and questions about the current token
 * ts_types.c        recognises types (they leave no trace)
 * ts_members.c      interface bodies, and blanking what has been recognised
 * ts_expressions.c  operators, `as`, casts
 * ts_operands.c     literals, calls, member access
 * ts_arrows.c       arrow functions and parentheses
 * ts_functions.c    parameters, binding patterns, bodies
 * ts_classes.c      classes and parameter properties
 * ts_statements.c   statements
 * ts_declarations.c functions, and declarations that vanish
 * ts_imports.c, ts_exports.c, ts_modules.c
 * ts_enums.c, ts_namespaces.c, ts_runtime.c: the two constructs that emit code
 *
 * One pass, no tree. A parse function starts at its first token and leaves
 * `tok` on the first token after what it read. After the first error every
 * token is T_EOF, so loops end without checking a status.
 */
#ifndef TOOLCELL_TS_PARSER_H
#define TOOLCELL_TS_PARSER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "typescript.h"

/* Levels of nesting, not stack frames: one level costs under 1.5 KiB of wasm stack. */
#define TS_MAX_DEPTH 2000

/* Single characters are their own kind; `>` always comes alone (see ts_join_greater). */
enum ts_kind {
    T_EOF = 0,
    T_NAME = 256,
    T_PRIVATE,
    T_NUMBER,
    T_STRING,
    T_REGEX,
    T_TEMPLATE,
    T_TEMPLATE_HEAD,
    T_ARROW,
    T_ELLIPSIS,
    T_OPTIONAL_DOT,
    T_NULLISH,
    T_INCREMENT,
    T_DECREMENT,
    T_POWER,
    T_SHIFT_LEFT,
    T_SHIFT_RIGHT,
    T_COMPARE,
    T_EQUALITY,
    T_AND,
    T_OR,
    T_ASSIGN /* the compound ones; plain `=` is '=' */
};

/* clang-format off */
enum ts_word {
    W_NONE = 0,
    /* reserved: never an identifier */
    W_BREAK, W_CASE, W_CATCH, W_CLASS, W_CONST, W_CONTINUE, W_DEBUGGER, W_DEFAULT, W_DELETE,
    W_DO, W_ELSE, W_ENUM, W_EXPORT, W_EXTENDS, W_FALSE, W_FINALLY, W_FOR, W_FUNCTION, W_IF,
    W_IMPORT, W_IN, W_INSTANCEOF, W_NEW, W_NULL, W_RETURN, W_SUPER, W_SWITCH, W_THIS, W_THROW,
    W_TRUE, W_TRY, W_TYPEOF, W_VAR, W_VOID, W_WHILE, W_WITH,
    W_LAST_RESERVED = W_WITH,
    /* unusable as a name in strict code, or in an async or generator body */
    W_ARGUMENTS, W_AWAIT, W_EVAL, W_IMPLEMENTS, W_INTERFACE, W_LET, W_PACKAGE, W_PRIVATE,
    W_PROTECTED, W_PUBLIC, W_STATIC, W_YIELD,
    W_LAST_RESTRICTED = W_YIELD,
    /* types that take no type arguments */
    W_ANY, W_BIGINT, W_BOOLEAN, W_NEVER, W_NUMBER, W_OBJECT, W_STRING, W_SYMBOL, W_UNDEFINED,
    W_UNKNOWN,
    W_LAST_PREDEFINED = W_UNKNOWN,
    /* words with a meaning in some places */
    W_ABSTRACT, W_ACCESSOR, W_AS, W_ASSERT, W_ASSERTS, W_ASYNC, W_CONSTRUCTOR, W_DECLARE,
    W_DEFER, W_FROM, W_GET, W_GLOBAL, W_INFER, W_IS, W_KEYOF, W_MODULE, W_NAMESPACE, W_OF,
    W_OUT, W_OVERRIDE, W_READONLY, W_REQUIRE, W_SATISFIES, W_SET, W_TYPE, W_UNIQUE, W_USING
};
/* clang-format on */

struct ts_token {
    int kind;
    int word;
    uint32_t start, end;
    bool newline; /* a line ends between the token before and this one */
};

struct ts_span {
    uint32_t start, end;
};

/* Overwrite [start, end) with spaces, and put text there first. */
struct ts_edit {
    uint32_t start, end;
    uint32_t text, text_len;
    uint32_t order;
    struct ts_span name; /* what a borrowed name is (see ts_use) */
};

/* Names met so far, keyed by (owner, kind, text). */
enum ts_name_kind {
    N_USED,     /* owner 0: read as a value anywhere */
    N_TYPE,     /* owner 0: interface or type alias */
    N_DECLARED, /* owner = scope: has a value there */
    N_ENTITY,   /* owner = scope or outer entity: enum or namespace, value = its id */
    N_MEMBER    /* owner = entity: enum member or namespace export, value = its part */
};

struct ts_name {
    uint32_t hash, owner, start, len, value;
    int kind;
};

/* An import, alias or export whose fate depends on the whole text. */
enum ts_pending_kind { P_IMPORT, P_EXPORT, P_EXPORT_DEFAULT, P_ALIAS };

struct ts_specifier {
    struct ts_span name, region;
    bool type_only, in_braces;
};

struct ts_pending {
    enum ts_pending_kind kind;
    struct ts_span whole;
    struct ts_span braces; /* of the list; for an alias or export default, its name */
    struct ts_span target; /* what an alias stands for */
    uint32_t first, count; /* specifiers */
    bool had_from;
};

/* A constructor whose parameter properties still need their assignments. */
struct ts_constructor {
    uint32_t first, count; /* in names */
    bool assigned;
};

/* An enum or namespace body being read. */
struct ts_body {
    struct ts_body *outer;
    uint32_t entity, part, scope, inside; /* inside: offset after `{` */
    bool borrowed;                        /* took names from an earlier part */
};

struct ts_context {
    bool generator, no_in, in_block;
    bool before_colon; /* a `:` must follow: `(a) : b` is no arrow with a return type */
    uint32_t scope;
    struct ts_constructor *constructor;
    struct ts_body *space; /* the namespace whose direct child this is */
};

#define TS_LIST(type) \
    struct { \
        type *at; \
        uint32_t count, room; \
    }

struct ts_parser {
    char *src;
    uint32_t len;
    struct ts_token tok;
    uint32_t prev_end; /* end of the token before tok */

    int status;
    uint32_t error_at;
    char *message;

    int depth, ambient;
    bool no_conditional; /* in types: leave `extends` alone */
    bool emitted;        /* a statement with an effect was read */
    bool tracks_uses;    /* there may be imports to drop */
    struct ts_span type_atom;
    uint32_t cast_at; /* 1 + offset of the latest `<` cast; 0: none */
    uint32_t statement_at;
    struct ts_context ctx;
    struct ts_body *bodies;
    uint32_t last_id;
    uint8_t letters[27]; /* where each first letter starts in the word table */

    TS_LIST(struct ts_edit) edits;
    TS_LIST(char) texts;
    TS_LIST(struct ts_span) names;
    TS_LIST(struct ts_specifier) specifiers;
    TS_LIST(struct ts_pending) pending;
    struct ts_name *table;
    uint32_t table_count, table_room;
    uint8_t *not_type_arguments, *not_arrow; /* one bit per byte of text */
    char inner[24]; /* what enum and namespace bodies call their object */
};

struct ts_mark {
    struct ts_token tok;
    uint32_t prev_end, edits, texts, names, specifiers, pending;
    struct ts_context ctx;
    int depth;
};

/* typescript.c */
bool ts_reserve(struct ts_parser *p, void **at, uint32_t *room, uint32_t count, size_t size);
#define TS_PUSH(p, list, ...) \
    do { \
        if (ts_reserve((p), (void **)&(list).at, &(list).room, (list).count + 1, sizeof *(list).at)) \
            (list).at[(list).count++] = (__VA_ARGS__); \
    } while (0)
void ts_fail(struct ts_parser *p, uint32_t at, const char *message);
void ts_fail_token(struct ts_parser *p, const char *expected);
void ts_out_of_memory(struct ts_parser *p);
extern const char ts_no_jsx[];
bool ts_enter(struct ts_parser *p);
void ts_leave(struct ts_parser *p);
struct ts_mark ts_mark(const struct ts_parser *p);
bool ts_rewind(struct ts_parser *p, const struct ts_mark *mark);
bool ts_bit(const uint8_t *bits, uint32_t at);
void ts_set_bit(struct ts_parser *p, uint8_t **bits, uint32_t at);

/* ts_lexer.c */
void ts_start(struct ts_parser *p);
void ts_next(struct ts_parser *p);
struct ts_token ts_peek(struct ts_parser *p);
void ts_continue_template(struct ts_parser *p);
void ts_join_greater(struct ts_parser *p);
void ts_as_regex(struct ts_parser *p);
void ts_split_less(struct ts_parser *p);
bool ts_line_break_in(const struct ts_parser *p, uint32_t start, uint32_t end);

/* ts_words.c */
void ts_index_words(struct ts_parser *p);
int ts_word(const struct ts_parser *p, uint32_t start, uint32_t end);
bool ts_identifier(const struct ts_token *tok);
bool ts_accept(struct ts_parser *p, int kind);
bool ts_accept_word(struct ts_parser *p, int word);
bool ts_expect(struct ts_parser *p, int kind, const char *name);

/* ts_edits.c */
void ts_edit(struct ts_parser *p, uint32_t start, uint32_t end, uint32_t text, uint32_t text_len);
void ts_blank(struct ts_parser *p, uint32_t start, uint32_t end);
void ts_replace(struct ts_parser *p, uint32_t start, uint32_t end, const char *text);
void ts_insert(struct ts_parser *p, uint32_t at, const char *text);
void ts_erase(struct ts_parser *p, uint32_t first_edit, uint32_t start, uint32_t end);
void ts_text(struct ts_parser *p, const char *text);
void ts_text_span(struct ts_parser *p, struct ts_span span);
void ts_text_format(struct ts_parser *p, const char *format, struct ts_span name);
struct ts_name *ts_find(const struct ts_parser *p, uint32_t owner, int kind, struct ts_span name);
struct ts_name *ts_remember(struct ts_parser *p, uint32_t owner, int kind, struct ts_span name);
void ts_declare(struct ts_parser *p, struct ts_span name);
void ts_use(struct ts_parser *p, struct ts_span name);
int ts_write(struct ts_parser *p, struct ts_result *out);

/* ts_types.c */
void ts_type(struct ts_parser *p);
void ts_return_type(struct ts_parser *p);
void ts_type_parameters(struct ts_parser *p);
void ts_type_arguments(struct ts_parser *p);

/* ts_members.c */
void ts_skip_default(struct ts_parser *p);
void ts_index_signature(struct ts_parser *p);
void ts_type_members(struct ts_parser *p);
void ts_blank_annotation(struct ts_parser *p);
void ts_blank_type_parameters(struct ts_parser *p);
void ts_blank_type_arguments(struct ts_parser *p);

/* ts_expressions.c */
enum ts_shape { S_OPERAND, S_ARROW };
enum ts_shape ts_assignment(struct ts_parser *p);
void ts_expression(struct ts_parser *p);
bool ts_starts_expression(const struct ts_token *tok);

/* ts_operands.c */
enum ts_shape ts_operand(struct ts_parser *p);
void ts_left_hand_side(struct ts_parser *p);
void ts_computed_key(struct ts_parser *p);
struct ts_context ts_open_brackets(struct ts_parser *p);

/* ts_arrows.c */
enum ts_shape ts_parenthesis(struct ts_parser *p, bool may_be_empty);
enum ts_shape ts_name_operand(struct ts_parser *p);
enum ts_shape ts_async_operand(struct ts_parser *p);
void ts_arrow_body(struct ts_parser *p);

/* ts_functions.c */
void ts_binding(struct ts_parser *p);
void ts_parameters(struct ts_parser *p);
void ts_function_expression(struct ts_parser *p);
bool ts_signature_and_body(struct ts_parser *p, bool generator, struct ts_constructor *constructor);
void ts_body(struct ts_parser *p, bool generator);
void ts_refuse_decorator(struct ts_parser *p);

/* ts_classes.c */
void ts_class(struct ts_parser *p);
void ts_class_declaration(struct ts_parser *p);
void ts_assign_properties(struct ts_parser *p, const struct ts_constructor *c, char separator);

/* ts_statements.c */
struct ts_origin { /* where a statement began */
    uint32_t start, first_edit, before;
};
enum ts_effect { E_OTHER, E_ERASED, E_EMITTED };
void ts_statement(struct ts_parser *p);
void ts_statements(struct ts_parser *p, int end);
void ts_block(struct ts_parser *p);
void ts_semicolon(struct ts_parser *p);
void ts_variables(struct ts_parser *p);
struct ts_origin ts_origin(const struct ts_parser *p);
void ts_erase_statement(struct ts_parser *p, const struct ts_origin *from);

/* ts_declarations.c */
bool ts_function_declaration(struct ts_parser *p, const struct ts_origin *from);
enum ts_effect ts_type_declaration(struct ts_parser *p, const struct ts_origin *from, bool exported);

/* ts_imports.c */
bool ts_import(struct ts_parser *p);
bool ts_alias(struct ts_parser *p, const struct ts_origin *from, uint32_t keyword, bool exported, bool type_only);
void ts_source_clause(struct ts_parser *p);
void ts_specifier_list(struct ts_parser *p, bool import);
bool ts_type_modifier_follows(struct ts_parser *p);
static inline struct ts_span ts_span_of(const struct ts_token *tok)
{
    return (struct ts_span){tok->start, tok->end};
}

/* ts_exports.c */
bool ts_export(struct ts_parser *p);

/* ts_modules.c */
void ts_settle_modules(struct ts_parser *p);

/* ts_runtime.c */
const char *ts_inner(struct ts_parser *p);
void ts_open_entity(struct ts_parser *p, struct ts_body *body, struct ts_span name, bool exported);
void ts_remember_member(struct ts_parser *p, const struct ts_body *body, struct ts_span name);
void ts_entity_header(struct ts_parser *p, struct ts_span name, bool exported);
void ts_entity_footer(struct ts_parser *p, struct ts_span name, bool exported);
void ts_export_member(struct ts_parser *p, struct ts_span name, bool may_change);

/* ts_enums.c, ts_namespaces.c */
void ts_enum(struct ts_parser *p, uint32_t start, bool exported);
bool ts_namespace(struct ts_parser *p, const struct ts_origin *from, bool exported);

#endif
