/* The run's log: bounded, written line by line where the host reads it, at any time and after any ending. */

static void *cell_reserve(size_t size);

static uint32_t log_capacity(void)
{
    uint32_t limit = cell_mailbox.log_limit;
    return limit < TOOLCELL_LOG_BYTES ? limit : TOOLCELL_LOG_BYTES;
}

size_t cell_log_room(void)
{
    uint32_t used = cell_mailbox.log_len + sizeof(struct cell_log_line);
    uint32_t capacity = log_capacity();
    return cell_mailbox.log_dropped || used >= capacity ? 0 : capacity - used;
}

/* The largest n <= room at which the text may be cut without splitting a UTF-8 sequence. */
static size_t utf8_cut(const char *text, size_t room)
{
    while (room > 0 && ((uint8_t)text[room] & 0xc0) == 0x80)
        room--;
    return room;
}

void cell_log(int level, const char *utf8, size_t len)
{
    size_t room = cell_log_room();
    size_t kept = len <= room ? len : utf8_cut(utf8, room);
    struct cell_log_line header = {.level = (uint32_t)level, .len = (uint32_t)kept};

    cell_mailbox.log_dropped += (uint32_t)(len - kept);
    if (room == 0) {
        cell_mailbox.log_dropped += len == 0;
        return;
    }
    if (!cell.log)
        cell.log = cell_reserve(TOOLCELL_LOG_BYTES);
    cell_mailbox.log_ptr = (uint32_t)(uintptr_t)cell.log;
    memcpy(cell.log + cell_mailbox.log_len, &header, sizeof header);
    memcpy(cell.log + cell_mailbox.log_len + sizeof header, utf8, kept);
    cell_mailbox.log_len += (uint32_t)(sizeof header + kept);
}
