import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { Scope } from '@spandrel/kernel';
import type { EventFilter, Frames } from './event-filter.js';
import { EventLogStore } from '../log/event-log.store.js';

/** What one client is sent from the log at once: what a thousand stalled ones hold is this times a thousand. */
const SLICE_BYTES = 64 * 1024;
/** Slices made at once, by all clients together: replays must not hold up everybody else. */
const AT_ONCE = 4;

/** Some events of the log for a client. */
export interface ReplaySlice extends Frames {
  /** The number up to which the log was read. */
  throughSeq: number;
}

/**
 * Reads the log for clients (docs/spec/events.md#coming-back), the same slice once for all that want it at about the
 * same time.
 */
@Injectable()
export class ReplaySlices {
  private readonly making = new Map<string, Promise<ReplaySlice>>();
  private turns = AT_ONCE;
  private readonly queue: (() => void)[] = [];

  constructor(private readonly log: EventLogStore) {}

  /** The oldest events behind a sequence number, as far as one slice goes; without events when the log has none. */
  read(scope: Scope, filter: EventFilter, afterSeq: number): Promise<ReplaySlice> {
    const key = `${afterSeq} ${filter.key} ${scope.projectId}`;
    let making = this.making.get(key);
    if (!making) {
      making = this.inTurn(() => this.make(scope, filter, afterSeq)).finally(() => this.making.delete(key));
      this.making.set(key, making);
    }
    return making;
  }

  private async make(scope: Scope, filter: EventFilter, afterSeq: number): Promise<ReplaySlice> {
    let throughSeq = afterSeq;
    let batches = await this.log.slice(scope, afterSeq, SLICE_BYTES);
    if (batches.length === 0) {
      // What is older than this and not in the log after it has been pruned.
      throughSeq = Math.max(afterSeq, await this.log.newest(scope));
      batches = await this.log.slice(scope, afterSeq, SLICE_BYTES);
    }
    throughSeq = batches.at(-1)?.lastSeq ?? throughSeq;
    return { ...filter.frames(batches, afterSeq), throughSeq };
  }

  private async inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.turns > 0) this.turns--;
    else await new Promise<void>((go) => this.queue.push(go));
    try {
      return await work();
    } finally {
      void nextTurn().then(() => {
        const next = this.queue.shift();
        if (next) next();
        else this.turns++;
      });
    }
  }
}
