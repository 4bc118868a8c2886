import { rawSql } from '@spandrel/storage';

/** Bytes of an item's texts, from `queue_item q`, told without reading them. */
export const QUEUE_ITEM_SIZE = rawSql('octet_length(q.original_data) + coalesce(octet_length(q.edited_data), 0)');

/** Text of items that one read brings into memory, about. */
export const QUEUE_READ_BYTES = 16 * 1024 * 1024;
