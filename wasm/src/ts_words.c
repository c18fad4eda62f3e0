/* The words that mean something, and the small questions a parser asks of the current token. */
#include "ts_parser.h"

#include <string.h>

struct word {
    const char *text;
    int word;
};

/* Sorted by first letter. */
static const struct word words[] = {
    {"abstract", W_ABSTRACT}, {"accessor", W_ACCESSOR}, {"any", W_ANY}, {"arguments", W_ARGUMENTS},
    {"as", W_AS}, {"assert", W_ASSERT}, {"asserts", W_ASSERTS}, {"async", W_ASYNC}, {"await", W_AWAIT},
    {"bigint", W_BIGINT}, {"boolean", W_BOOLEAN}, {"break", W_BREAK},
    {"case", W_CASE}, {"catch", W_CATCH}, {"class", W_CLASS}, {"const", W_CONST},
    {"constructor", W_CONSTRUCTOR}, {"continue", W_CONTINUE},
    {"debugger", W_DEBUGGER}, {"declare", W_DECLARE}, {"default", W_DEFAULT}, {"defer", W_DEFER},
    {"delete", W_DELETE}, {"do", W_DO},
    {"else", W_ELSE}, {"enum", W_ENUM}, {"eval", W_EVAL}, {"export", W_EXPORT}, {"extends", W_EXTENDS},
    {"false", W_FALSE}, {"finally", W_FINALLY}, {"for", W_FOR}, {"from", W_FROM}, {"function", W_FUNCTION},
    {"get", W_GET}, {"global", W_GLOBAL},
    {"if", W_IF}, {"implements", W_IMPLEMENTS}, {"import", W_IMPORT}, {"in", W_IN}, {"infer", W_INFER},
    {"instanceof", W_INSTANCEOF}, {"interface", W_INTERFACE}, {"is", W_IS},
    {"keyof", W_KEYOF},
    {"let", W_LET},
    {"module", W_MODULE},
    {"namespace", W_NAMESPACE}, {"never", W_NEVER}, {"new", W_NEW}, {"null", W_NULL}, {"number", W_NUMBER},
    {"object", W_OBJECT}, {"of", W_OF}, {"out", W_OUT}, {"override", W_OVERRIDE},
    {"package", W_PACKAGE}, {"private", W_PRIVATE}, {"protected", W_PROTECTED}, {"public", W_PUBLIC},
    {"readonly", W_READONLY}, {"require", W_REQUIRE}, {"return", W_RETURN},
    {"satisfies", W_SATISFIES}, {"set", W_SET}, {"static", W_STATIC}, {"string", W_STRING},
    {"super", W_SUPER}, {"switch", W_SWITCH}, {"symbol", W_SYMBOL},
    {"this", W_THIS}, {"throw", W_THROW}, {"true", W_TRUE}, {"try", W_TRY}, {"type", W_TYPE},
    {"typeof", W_TYPEOF},
    {"undefined", W_UNDEFINED}, {"unique", W_UNIQUE}, {"unknown", W_UNKNOWN}, {"using", W_USING},
    {"var", W_VAR}, {"void", W_VOID},
    {"while", W_WHILE}, {"with", W_WITH},
    {"yield", W_YIELD},
};

#define WORDS (sizeof words / sizeof words[0])

void ts_index_words(struct ts_parser *p)
{
    unsigned at = 0;
    for (int letter = 0; letter < 27; letter++) {
        while (at < WORDS && words[at].text[0] - 'a' < letter)
            at++;
        p->letters[letter] = (uint8_t)at;
    }
}

int ts_word(const struct ts_parser *p, uint32_t start, uint32_t end)
{
    const char *text = p->src + start;
    unsigned letter = (unsigned)(text[0] - 'a');
    if (letter >= 26 || end - start > 11)
        return W_NONE;
    for (unsigned i = p->letters[letter]; i < p->letters[letter + 1]; i++)
        if (words[i].text[1] == text[1] && !strncmp(words[i].text, text, end - start) && !words[i].text[end - start])
            return words[i].word;
    return W_NONE;
}

bool ts_identifier(const struct ts_token *tok)
{
    return tok->kind == T_NAME && (tok->word == W_NONE || tok->word > W_LAST_RESERVED);
}

bool ts_accept(struct ts_parser *p, int kind)
{
    if (p->tok.kind != kind || kind == T_EOF)
        return false;
    ts_next(p);
    return true;
}

bool ts_accept_word(struct ts_parser *p, int word)
{
    if (p->tok.word != word || p->tok.kind != T_NAME)
        return false;
    ts_next(p);
    return true;
}

bool ts_expect(struct ts_parser *p, int kind, const char *name)
{
    if (p->tok.kind == kind) {
        ts_next(p);
        return true;
    }
    ts_fail_token(p, name);
    return false;
}
