import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { integer, shapeOf, Storage, text } from '@spandrel/storage';

const NEXT = shapeOf({ next: text() });
const OVER = shapeOf({ over: integer() });

const PAUSE_MS = 50;
const WAIT_MS_MAX = 30_000;

/** Waits for transactions that may not have seen what is committed now. */
@Injectable()
export class SettleWrites {
  constructor(private readonly storage: Storage) {}

  /**
   * Waits until all transactions of writers are over that have begun by now: every later one sees what is committed now. On
   * SQLite there is one at a time, and nothing to wait for.
   * @returns whether they are; a transaction may take longer than can be waited for.
   */
  async execute(stopped: AbortSignal): Promise<boolean> {
    if (this.storage.dialect === 'sqlite') return true;
    // Ids are given in order, and to this one now.
    const [row] = await this.storage.read(NEXT.query`select pg_current_xact_id()::text as next`);
    const until = Date.now() + WAIT_MS_MAX;
    while (!stopped.aborted) {
      const [state] = await this.storage.read(
        OVER.query`select case when pg_snapshot_xmin(pg_current_snapshot()) >= cast(${row!.next} as xid8) then 1 else 0 end as over`,
      );
      if (state!.over === 1) return true;
      if (Date.now() > until) return false;
      await pause(PAUSE_MS, undefined, { ref: false });
    }
    return false;
  }
}
