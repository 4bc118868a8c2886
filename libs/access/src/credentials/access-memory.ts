import { Inject, Injectable } from '@nestjs/common';
import type { AuditAction } from '@spandrel/contract';
import { AuditTrail } from '@spandrel/audit';
import { ShortMemory, Unavailable, withinMs } from '@spandrel/kernel';

/** How long an answer about a credential is relied upon (docs/spec/access.md#how-fast-a-change-of-access-counts). */
const REMEMBERED_MS = 500;
const REMEMBERED_MAX = 20_000;

/** How long a request may wait to be let in when the database is silent. */
const LOOKED_UP_MS_MAX = 3_000;

/** Waits for what lets a request in. @throws Unavailable when it takes too long. */
export function inTime<T>(lookUp: Promise<T>): Promise<T> {
  return withinMs(LOOKED_UP_MS_MAX, lookUp, () => {
    throw new Unavailable('the credential could not be checked: the database did not answer');
  });
}

const CHANGES_OF_ACCESS: ReadonlySet<AuditAction> = new Set([
  ...(['org.updated', 'org.deletion_begun', 'org.deleted'] as const),
  ...(['project.updated', 'project.deletion_begun', 'project.deleted'] as const),
  ...(['key.updated', 'key.deleted', 'key.suspended', 'key.resumed'] as const),
  ...(['member.created', 'member.updated', 'member.deleted', 'session.updated', 'session.deleted'] as const),
]);

/**
 * Remembers credentials and sessions for a moment. A change of access that is committed here has all of it forgotten before
 * the request is answered (docs/spec/access.md#how-fast-a-change-of-access-counts).
 */
@Injectable()
export class AccessMemory {
  private readonly memories: ShortMemory<unknown>[] = [];
  private readonly listeners: (() => void)[] = [];

  constructor(@Inject(AuditTrail) audit: Pick<AuditTrail, 'onRecorded'>) {
    audit.onRecorded((actions) => {
      if (!actions.isDisjointFrom(CHANGES_OF_ACCESS)) this.forget();
    });
  }

  /** A memory of its own for one kind of question. */
  newMemory<Answer>(): ShortMemory<Answer> {
    const memory = new ShortMemory<Answer>(REMEMBERED_MS, REMEMBERED_MAX);
    this.memories.push(memory);
    return memory;
  }

  /** Has `listener` called whenever everything was forgotten. It must be quick. */
  onForgotten(listener: () => void): void {
    this.listeners.push(listener);
  }

  private forget(): void {
    for (const memory of this.memories) memory.clear();
    for (const listener of this.listeners) listener();
  }
}

/** Looks up what is asked for in one turn of the event loop with one query, however much that is. */
export class Batch<Row> {
  private waiting = new Map<string, PromiseWithResolvers<Row | undefined>>();

  /** @param read the rows of some keys. @param keyOf finds the key that a row belongs to. */
  constructor(
    private readonly read: (keys: readonly string[]) => Promise<Row[]>,
    private readonly keyOf: (row: Row) => string,
  ) {}

  /** @returns `undefined` when there is no such row. @throws what `read` throws. */
  find(key: string): Promise<Row | undefined> {
    let asked = this.waiting.get(key);
    if (!asked) {
      if (this.waiting.size === 0) setImmediate(() => void this.readAll());
      this.waiting.set(key, (asked = Promise.withResolvers()));
    }
    return asked.promise;
  }

  private async readAll(): Promise<void> {
    const asked = this.waiting;
    this.waiting = new Map();
    try {
      const rows = new Map((await this.read([...asked.keys()])).map((row) => [this.keyOf(row), row]));
      for (const [key, { resolve }] of asked) resolve(rows.get(key));
    } catch (error) {
      for (const { reject } of asked.values()) reject(error);
    }
  }
}
