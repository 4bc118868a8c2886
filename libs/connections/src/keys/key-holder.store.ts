import { Injectable } from '@nestjs/common';
import { fromJsonText, sql, Storage, tableOf } from '@spandrel/storage';
import { KeyHolderSchema, type KeyHolderRow } from '../connection.entity.js';

const COLUMNS = tableOf(KeyHolderSchema, ['id']).select('h');

export interface RunningServer {
  id: string;
  host: string;
  keyIds: readonly string[];
}

/** How long a server that says nothing counts as one that runs, in milliseconds; its clock may be off by some seconds. */
const SILENT_MS = 20_000;

@Injectable()
export class KeyHolderStore {
  constructor(private readonly storage: Storage) {}

  /** Says that a server runs, and forgets those that have been silent for long. */
  async note({ id, host, keyIds, seenAt }: KeyHolderRow): Promise<void> {
    await this.storage.write(async (tx) => {
      await tx.run(sql`insert into key_holder (id, host, key_ids, seen_at) values (${id}, ${host}, ${keyIds}, ${seenAt})
        on conflict (id) do update set seen_at = excluded.seen_at, key_ids = excluded.key_ids`);
      await tx.run(sql`delete from key_holder where seen_at < ${seenAt - 3 * SILENT_MS}`);
    });
  }

  async forget(id: string): Promise<void> {
    await this.storage.write(async (tx) => void (await tx.run(sql`delete from key_holder where id = ${id}`)));
  }

  /** The servers that run at a moment, in milliseconds since the epoch. */
  async running(now: number): Promise<RunningServer[]> {
    const rows = await this.storage.read(
      COLUMNS.query`select ${COLUMNS} from key_holder h where h.seen_at >= ${now - SILENT_MS} order by h.id`,
    );
    return rows.map(({ id, host, keyIds }) => ({ id, host, keyIds: fromJsonText(keyIds) as string[] }));
  }
}
