import { Inject, Injectable } from '@nestjs/common';
import type { AuditAction } from '@spandrel/contract';
import { AuditTrail } from '@spandrel/audit';
import { REMEMBERED_MAX, REMEMBERED_MS } from './looked-up.js';
import { ShortMemory } from './short-memory.js';

/** Acts after which somebody may do more or less than before. */
const CHANGES_OF_ACCESS: ReadonlySet<AuditAction> = new Set([
  ...(['org.updated', 'org.deletion_begun', 'org.deleted'] as const),
  ...(['project.updated', 'project.deletion_begun', 'project.deleted'] as const),
  ...(['key.updated', 'key.deleted', 'key.suspended', 'key.resumed'] as const),
  ...(['member.created', 'member.updated', 'member.deleted', 'session.updated', 'session.deleted'] as const),
]);

/**
 * What this server remembers of credentials and sessions. All of it is forgotten when a change of access was committed here,
 * before the request that made it is answered: so the change counts at once at this server, also for lookups that began
 * before it (docs/spec/access.md#how-fast-a-change-of-access-counts).
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
