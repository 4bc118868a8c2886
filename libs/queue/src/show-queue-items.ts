import { Injectable } from '@nestjs/common';
import { WrittenJson, writtenPage, type Reader } from '@spandrel/http';
import type { Scope } from '@spandrel/kernel';
import type { Page } from '@spandrel/storage';
import { isBlind, queueItemJson } from './queue-item-json.js';
import type { QueueItemRow } from './queue-item.entity.js';
import { QueueItemStore } from './queue-item.store.js';

/** Queue items as somebody may read them: without answers of a blind review before their own (docs/spec/queue.md#blind-reviews). */
@Injectable()
export class ShowQueueItems {
  constructor(private readonly items: QueueItemStore) {}

  /** @param viewer the id of who reads. */
  async show(
    scope: Scope,
    { items, nextCursor }: Page<QueueItemRow>,
    viewer: string,
    reader: Reader,
  ): Promise<WrittenJson> {
    const readable = await this.readableOf(scope, items, viewer, reader);
    const shown = items.values().map((item) => queueItemJson(item, isBlind(item) && !readable.has(item.groupId!)));
    return writtenPage('items', shown, nextCursor);
  }

  async showOne(scope: Scope, item: QueueItemRow, viewer: string, reader: Reader): Promise<WrittenJson> {
    const readable = await this.readableOf(scope, [item], viewer, reader);
    return new WrittenJson(queueItemJson(item, isBlind(item) && !readable.has(item.groupId!)));
  }

  private readableOf(
    scope: Scope,
    items: readonly QueueItemRow[],
    viewer: string,
    reader: Reader,
  ): Promise<Set<string>> {
    const groups = new Set(items.filter(isBlind).map(({ groupId }) => groupId!));
    return this.items.findReadableGroups(scope, [...groups], viewer, reader);
  }
}
