import { Injectable } from '@nestjs/common';
import { StartError, type Scope } from '@spandrel/kernel';
import {
  dayOf,
  integer,
  rawSql,
  rowsFrom,
  shapeOf,
  sql,
  Storage,
  tableOf,
  text,
  type WriteTx,
} from '@spandrel/storage';
import type { MayGo } from '@spandrel/tracing';
import { CHANGE_KIND, DAY_STATE, ReadStoreDaySchema, type ReadStoreDayRow } from './read-store.entity.js';

const DAY = tableOf(ReadStoreDaySchema, ['projectId', 'day']).select('d');
const PROJECT = shapeOf({ id: text() });
const COUNTS = shapeOf({ cold: integer(), differs: integer() });

/** Texts that may go: of days that agreed and that nobody wrote to since, and of spans that the store has as they are. */
export const MAY_GO: MayGo = (day) => `exists (select 1 from read_store_day d where d.project_id = p.project_id
    and d.day = ${day} and d.state = ${DAY_STATE.agreed})
  and not exists (select 1 from read_store_change c where c.project_id = p.project_id and c.kind = ${CHANGE_KIND.span}
    and c.id = p.span_id)`;

export type DayOf = Pick<ReadStoreDayRow, 'projectId' | 'day'>;

/** Days whose texts the database has given away, or is about to. */
@Injectable()
export class ReadStoreDayStore {
  constructor(private readonly storage: Storage) {}

  ofProject({ projectId }: Scope): Promise<ReadStoreDayRow[]> {
    return this.storage.readLong(
      DAY.query`select ${DAY} from read_store_day d where d.project_id = ${projectId} order by d.day`,
    );
  }

  async projects(): Promise<string[]> {
    const rows = await this.storage.readLong(PROJECT.query`select distinct d.project_id as id from read_store_day d`);
    return rows.map(({ id }) => id);
  }

  async counts(): Promise<{ cold: number; differs: number }> {
    const [row] = await this.storage.readLong(
      COUNTS.query`select coalesce(sum(d.is_cold), 0) as cold,
        coalesce(sum(case when d.state = ${DAY_STATE.differs} then 1 else 0 end), 0) as differs from read_store_day d`,
    );
    return row!;
  }

  async hasCold(tx: Pick<WriteTx, 'all'>): Promise<boolean> {
    return (await tx.all(DAY.query`select ${DAY} from read_store_day d where d.is_cold = 1 limit 1`)).length > 0;
  }

  /** @throws StartError when the store alone has texts: nothing may be begun that it would lose them by. */
  async assertNoneCold(tx: Pick<WriteTx, 'all'>): Promise<void> {
    if (!(await this.hasCold(tx))) return;
    throw new StartError([
      'the read store alone has texts of spans (retention.hot_days): bring back the engine as it was, or take the setting out and wait until the servers have brought the texts back (docs/operations.md#hot-and-cold-texts)',
    ]);
  }

  begin({ projectId, day }: DayOf): Promise<number> {
    const { comparing } = DAY_STATE;
    return this.storage.write((tx) =>
      tx.run(
        sql`insert into read_store_day (project_id, day, state, is_cold) values (${projectId}, ${day}, ${comparing}, 0)
          on conflict (project_id, day) do update set state = ${comparing}`,
      ),
    );
  }

  /** Goes on with a day. @returns whether nobody wrote to it meanwhile, or began again; nothing is changed otherwise. */
  async proceed({ projectId, day }: DayOf, from: DayState, to: DayState): Promise<boolean> {
    const isCold = DAY_STATE[to] === DAY_STATE.agreed ? 1 : 0;
    const changed = await this.storage.write((tx) =>
      tx.run(
        sql`update read_store_day set state = ${DAY_STATE[to]}, is_cold = case when is_cold = 1 then 1 else ${rawSql(String(isCold))} end
          where project_id = ${projectId} and day = ${day} and state = ${DAY_STATE[from]}`,
      ),
    );
    return changed === 1;
  }

  /** Notes that something of the days of some starts was written. */
  async open(tx: WriteTx, { projectId }: Scope, starts: readonly number[]): Promise<void> {
    const days = [...new Set(starts.map(dayOf))].toSorted((a, b) => a - b);
    if (days.length === 0) return;
    const rows = rowsFrom('r', { day: { type: 'number', values: days } });
    await tx.run(
      sql`update read_store_day set state = ${DAY_STATE.open} where project_id = ${projectId}
        and day in (select r.day from ${rows}) and state <> ${DAY_STATE.open}`,
    );
  }

  /** Forgets days of a project from one until before another; all when left out. */
  async forget(tx: WriteTx, projectId: string, from = -DAYS, until = DAYS): Promise<void> {
    await tx.run(sql`delete from read_store_day where project_id = ${projectId} and day >= ${from} and day < ${until}`);
  }
}

const DAYS = 2 ** 31 - 1;

type DayState = keyof typeof DAY_STATE;
