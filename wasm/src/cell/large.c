/* Large blocks: what is above the size classes of memory.c, and the chunks that those are cut from.
 *
 * Blocks lie one after another in memory that only this file grows. Free ones are listed by address and merged with
 * their neighbours, so what a program gave back can be had again in another shape, and a growing array at the end of
 * memory grows in place. There are at most a few thousand blocks (the smallest is 32 KiB), so a list is enough.
 */

#define WASM_PAGE 65536u
#define LARGE_UNIT 64u          /* sizes are multiples of this */
#define LARGE_SPLIT (16u << 10) /* a rest smaller than this stays with its block */

struct large {
    uint32_t size;      /* of the whole block, this header included */
    uint32_t padding;   /* keeps the data 8-byte aligned behind the next field pair */
    struct large *next; /* the next free block by address; unused while the block is in use */
    uint32_t reserved;
};

static inline struct large *after(struct large *b)
{
    return (struct large *)((uint8_t *)b + b->size);
}

static inline uint32_t memory_end(void)
{
    return (uint32_t)__builtin_wasm_memory_size(0) * WASM_PAGE;
}

/* Puts a block into the list and merges it with free neighbours. */
static void large_release(struct large *b)
{
    struct large *before = NULL, *next = cell.heap.large;

    while (next && next < b) {
        before = next;
        next = next->next;
    }
    if (next && after(b) == next) {
        b->size += next->size;
        next = next->next;
    }
    b->next = next;
    if (before && after(before) == b) {
        before->size += b->size;
        before->next = next;
    } else if (before) {
        before->next = b;
    } else {
        cell.heap.large = b;
    }
}

/* More memory, as a free block at its end; only as much as the last free block lacks. False when there is none. */
static bool large_grow(uint32_t size)
{
    struct large *last = cell.heap.large, *fresh;
    uint32_t end = memory_end(), have = 0;

    while (last && last->next)
        last = last->next;
    if (last && (uint32_t)(uintptr_t)after(last) == end)
        have = last->size;
    fresh = (struct large *)(uintptr_t)end;
    if (__builtin_wasm_memory_grow(0, (size - have + WASM_PAGE - 1) / WASM_PAGE) == (size_t)-1)
        return false;
    fresh->size = memory_end() - end;
    large_release(fresh);
    return true;
}

/* Keeps the first `size` bytes of a block and frees the rest if it is worth it. */
static void large_trim(struct large *b, uint32_t size)
{
    struct large *rest;
    if (b->size - size < LARGE_SPLIT)
        return;
    rest = (struct large *)((uint8_t *)b + size);
    rest->size = b->size - size;
    b->size = size;
    large_release(rest);
}

static struct large *large_take(uint32_t size)
{
    struct large **link = &cell.heap.large;
    for (; *link; link = &(*link)->next) {
        struct large *b = *link;
        if (b->size < size)
            continue;
        *link = b->next;
        large_trim(b, size);
        return b;
    }
    return NULL;
}

static inline uint32_t large_size(uint32_t bytes)
{
    return (bytes + (uint32_t)sizeof(struct large) + LARGE_UNIT - 1) & ~(LARGE_UNIT - 1);
}

/* `bytes` of memory, 8-byte aligned and not cleared; NULL when the limit does not allow it. */
static void *large_alloc(uint32_t bytes)
{
    uint32_t size = large_size(bytes);
    struct large *b;

    if (bytes > UINT32_MAX - 2 * WASM_PAGE)
        return NULL;
    b = large_take(size);
    if (!b && large_grow(size))
        b = large_take(size);
    return b ? b + 1 : NULL;
}

static void large_free(void *data)
{
    large_release((struct large *)data - 1);
}

static uint32_t large_usable(const void *data)
{
    return ((const struct large *)data - 1)->size - (uint32_t)sizeof(struct large);
}

/* Joins the block with the free one behind it, if there is one. */
static void large_extend(struct large *b)
{
    struct large **link = &cell.heap.large;
    while (*link && *link < b)
        link = &(*link)->next;
    if (!*link || after(b) != *link)
        return;
    b->size += (*link)->size;
    *link = (*link)->next;
}

static void *large_realloc(void *data, uint32_t bytes)
{
    struct large *b = (struct large *)data - 1;
    uint32_t size = large_size(bytes);
    void *moved;

    if (bytes > UINT32_MAX - 2 * WASM_PAGE)
        return NULL;
    if (b->size < size)
        large_extend(b);
    if (b->size < size && (uint32_t)(uintptr_t)after(b) == memory_end() && large_grow(size - b->size))
        large_extend(b);
    if (b->size >= size) {
        large_trim(b, size);
        return data;
    }
    moved = large_alloc(bytes);
    if (!moved)
        return NULL;
    memcpy(moved, data, b->size - sizeof *b);
    large_release(b);
    return moved;
}

extern uint8_t __heap_base; /* from the linker: where static data ends */

/* Build time: what the linker left over in the last page is the first free block. */
static void large_init(void)
{
    uint32_t start = ((uint32_t)(uintptr_t)&__heap_base + LARGE_UNIT - 1) & ~(LARGE_UNIT - 1);
    struct large *first = (struct large *)(uintptr_t)start;

    if (memory_end() - start < LARGE_SPLIT)
        return;
    first->size = memory_end() - start;
    large_release(first);
}
