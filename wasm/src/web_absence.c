/* What to use instead of a global that a cell does not have.
 *
 * Read when a ReferenceError is made, never at start. The names stay undefined:
 * `typeof require` is "undefined" and feature tests work. A message has room for
 * 255 bytes, "NAME is not defined: " included; keep a hint under 180.
 */
#include "web.h"

#define DIALECTS 2

typedef struct Absence {
    const char *names; /* separated and surrounded by spaces */
    const char *hints[DIALECTS]; /* mcpproxy, pinkfish; NULL: nothing to add */
} Absence;

#define BOTH(hint) { hint, hint }

#define OFFERS_PROXY "input, call_tool, call_tools, console, URL, ..."
#define OFFERS_PINKFISH "callTool, readArtifact, createArtifact, console, URL, ..."

static const Absence absences[] = {
    { " require module exports __dirname __filename import ",
      { "a cell has no modules; everything it offers is global (" OFFERS_PROXY ")",
        "a cell has no modules; everything it offers is global (" OFFERS_PINKFISH ")" } },
    { " fs os path child_process http https net axios got request ",
      { "a cell has no modules, files or network; call a tool with call_tool(server, tool, args)",
        "a cell has no modules, files or network; call a tool with "
        "await callTool(serverPath, toolName, args)" } },
    { " fetch XMLHttpRequest WebSocket EventSource Request Response Headers FormData ",
      { "a cell has no network; call a tool with call_tool(server, tool, args)",
        "a cell has no network; call a tool with await callTool(serverPath, toolName, args)" } },
    { " setTimeout setInterval setImmediate clearTimeout clearInterval clearImmediate sleep ",
      { "a cell has no timers; call_tool waits for its answer by itself, so nothing needs a delay",
        NULL } },
    { " setImmediate clearImmediate sleep requestAnimationFrame ",
      { "a cell has no timers", "use setTimeout(fn, ms), or queueMicrotask(fn)" } },
    { " process ",
      { "a cell has no process and no environment; values come in through input",
        "a cell has no process and no environment; put values into the code" } },
    { " Buffer ", BOTH("use Uint8Array with TextEncoder and TextDecoder, and atob, btoa or "
                       "Uint8Array.fromBase64 for base64") },
    { " window self global frames parent top ", BOTH("use globalThis") },
    { " document location history navigator screen HTMLElement DOMParser Image ",
      BOTH("a cell is not a browser page; it has the language, URL, TextEncoder, crypto, ...") },
    { " localStorage sessionStorage indexedDB caches ",
      { "a cell keeps nothing between runs; return what the next run needs",
        "a cell keeps nothing between runs; return what is needed, or use createArtifact" } },
    { " alert confirm prompt ", BOTH("nobody is there to answer; use console.log, or return the value") },
    { " print echo puts printf println log ", BOTH("use console.log(...)") },
    { " Deno Bun std bjson gc scriptArgs ",
      BOTH("this is a plain JavaScript cell, without a runtime's own API") },
    { " Worker SharedArrayBuffer Atomics MessageChannel BroadcastChannel ",
      BOTH("a cell has one thread; ArrayBuffer and structuredClone are there") },
    { " WebAssembly ", BOTH("a cell runs JavaScript and TypeScript only") },
    { " AbortController AbortSignal EventTarget Event EventEmitter ",
      BOTH("a cell has no events; a run is bounded by its timeout") },
    { " Blob File ReadableStream WritableStream TransformStream CompressionStream ",
      BOTH("use a string, Uint8Array or an async generator") },
    { " Intl ", BOTH("a cell has no locale data; format with toFixed, padStart and toISOString") },
    { " Temporal ", BOTH("use Date") },
    { " $ jQuery _ lodash moment dayjs ",
      BOTH("no libraries are loaded; the language itself has what is needed") },
    { " callTool ", { "here it is call_tool(server, tool, args)", NULL } },
    { " callTools ", { "here it is call_tools([{server, tool, args}, ...])",
                       "use await Promise.all([callTool(...), ...])" } },
    { " call_tool ", { NULL, "here it is await callTool(serverPath, toolName, args)" } },
    { " call_tools ", { NULL, "use await Promise.all([callTool(...), ...])" } },
    { " readArtifact createArtifact ",
      { "there are no artifacts here; return the content as the value", NULL } },
    { " args argv params parameters inputs ",
      { "what the caller passed is in input", "put the values into the code" } },
    { " input ", { NULL, "put the values into the code" } },
    { " listServers searchTools describeTool ",
      { "here it is list_servers(), search_tools(query), describe_tool(server, tool)", NULL } },
    { " True False None nil ", BOTH("this is JavaScript: true, false, null") },
    { " len ", BOTH("this is JavaScript: use value.length, or Object.keys(value).length") },
    { " str int float dict ", BOTH("this is JavaScript: use String(x), Number(x), or an object") },
};

const char *absence_hint(const char *name, int dialect)
{
    char wanted[40];
    size_t n = strlen(name), i;

    if (n == 0 || n > sizeof(wanted) - 3 || strchr(name, ' ') || dialect < 0 || dialect >= DIALECTS)
        return NULL;
    wanted[0] = wanted[n + 1] = ' ';
    memcpy(wanted + 1, name, n);
    wanted[n + 2] = 0;
    for (i = 0; i < sizeof(absences) / sizeof(*absences); i++) {
        if (absences[i].hints[dialect] && strstr(absences[i].names, wanted))
            return absences[i].hints[dialect];
    }
    return NULL;
}
