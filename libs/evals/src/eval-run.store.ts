import { Injectable } from '@nestjs/common';
import type { PlainList } from '@spandrel/contract';
import type { Scope } from '@spandrel/kernel';
import { anyOf, deleteRows, forUpdate, IdOrder, sql, Storage, type Page, type WriteTx } from '@spandrel/storage';
import type { EvalRunRow } from './eval-run.entity.js';
import { RUN_STATUS } from './status.js';
import { evalRunTable } from './tables.js';

const NEWEST_FIRST = new IdOrder('eval-runs', 'r.id', 'desc');

const COLUMNS = evalRunTable.select('r');

/** Runs taken into work at once. */
const TAKE_MAX = 1_000;

/** Rows of runs. */
@Injectable()
export class EvalRunStore {
  constructor(private readonly storage: Storage) {}

  /** @returns the run, `undefined` when the project has none with this id. */
  async find(scope: Scope, id: string): Promise<EvalRunRow | undefined> {
    const [run] = await this.findAll(scope, [id]);
    return run;
  }

  findAll(scope: Scope, ids: readonly string[]): Promise<EvalRunRow[]> {
    return this.storage.read<EvalRunRow>(
      sql`select ${COLUMNS} from eval_run r where r.project_id = ${scope.projectId} and ${anyOf('r.id', ids)}`,
    );
  }

  /** Runs that are to be changed, locked against other instances in the order of their ids. */
  findForWrite(tx: WriteTx, scope: Scope, ids: readonly string[]): Promise<EvalRunRow[]> {
    return tx.all<EvalRunRow>(
      sql`select ${COLUMNS} from eval_run r
        where r.project_id = ${scope.projectId} and ${anyOf('r.id', ids)} order by r.id${forUpdate('r')}`,
    );
  }

  /** @throws Invalid `invalid_cursor`. */
  list(scope: Scope, datasetId: string, query: PlainList): Promise<Page<EvalRunRow>> {
    return NEWEST_FIRST.page(query, (rest) =>
      this.storage.readLong<EvalRunRow>(
        sql`select ${COLUMNS} from eval_run r
          where r.project_id = ${scope.projectId} and r.dataset_id = ${datasetId} and ${rest}`,
        { orgId: scope.orgId },
      ),
    );
  }

  insert(tx: WriteTx, run: EvalRunRow): Promise<void> {
    return tx.insert(evalRunTable, [run]);
  }

  update(tx: WriteTx, run: EvalRunRow): Promise<void> {
    return tx.update(evalRunTable, [run]);
  }

  /** Deletes a locked run with its results. */
  async delete(tx: WriteTx, scope: Scope, id: string): Promise<void> {
    await deleteRows(tx, 'eval_result', sql`project_id = ${scope.projectId} and run_id = ${id}`);
    await tx.run(sql`delete from eval_run where project_id = ${scope.projectId} and id = ${id}`);
  }

  /** The dataset of a run, which never changes; the run is not locked. */
  async datasetOf(tx: WriteTx, scope: Scope, id: string): Promise<string | undefined> {
    const [run] = await tx.all<{ datasetId: string }>(
      sql`select dataset_id as "datasetId" from eval_run where project_id = ${scope.projectId} and id = ${id}`,
    );
    return run?.datasetId;
  }

  /** Ids of all runs of a dataset, in order; the runs are locked. */
  async idsForWrite(tx: WriteTx, scope: Scope, datasetId: string): Promise<string[]> {
    const rows = await tx.all<{ id: string }>(
      sql`select r.id as id from eval_run r
        where r.project_id = ${scope.projectId} and r.dataset_id = ${datasetId} order by r.id${forUpdate('r')}`,
    );
    return rows.map(({ id }) => id);
  }

  /** Distinct versions of a dataset that its runs are of. */
  async versionsOfDataset(tx: WriteTx, scope: Scope, datasetId: string): Promise<number[]> {
    const rows = await tx.all<{ version: number }>(
      sql`select distinct dataset_version as version from eval_run
        where project_id = ${scope.projectId} and dataset_id = ${datasetId}`,
    );
    return rows.map(({ version }) => version);
  }

  /** Whether an unfinished run needs a connection, for itself or for its judge. */
  async usesConnection(tx: WriteTx, scope: Scope, connectionId: string): Promise<boolean> {
    const rows = await tx.all(
      sql`select 1 as one from eval_run where status < ${RUN_STATUS.completed} and project_id = ${scope.projectId}
        and (connection_id = ${connectionId} or judge_connection_id = ${connectionId}) limit 1`,
    );
    return rows.length > 0;
  }

  /** Unfinished runs of all projects that nobody works on. @param now in ms; leases until then have ended. */
  abandoned(now: number): Promise<RunKey[]> {
    return this.storage.read<RunKey>(
      sql`select r.project_id as "projectId", r.id as id from eval_run r
        where r.status < ${RUN_STATUS.completed} and r.lease_until <= ${now} order by r.id limit ${TAKE_MAX}`,
    );
  }

  /** Keeps runs of an owner for longer. @param ids of any projects. */
  async renew(owner: string, ids: readonly string[], until: number): Promise<void> {
    if (ids.length === 0) return;
    await this.storage.write((tx) =>
      tx.run(
        sql`update eval_run set lease_until = ${until}
          where status < ${RUN_STATUS.completed} and lease_owner = ${owner} and ${anyOf('id', ids)}`,
      ),
    );
  }

  /**
   * Lets an owner's run go, when it is unfinished and still the owner's.
   * @param from when it may be taken again, in ms. @returns whether it was.
   */
  async giveBack({ projectId, id }: RunKey, owner: string, from: number): Promise<boolean> {
    const rows = await this.storage.write((tx) =>
      tx.run(
        sql`update eval_run set lease_owner = null, lease_until = ${from} where project_id = ${projectId}
          and id = ${id} and status < ${RUN_STATUS.completed} and lease_owner = ${owner}`,
      ),
    );
    return rows > 0;
  }

  /** Ends all leases: only where no other process can be at work. */
  async release(): Promise<void> {
    await this.storage.write((tx) =>
      tx.run(sql`update eval_run set lease_owner = null, lease_until = 0 where status < ${RUN_STATUS.completed}`),
    );
  }
}

/** Which run. */
export interface RunKey {
  projectId: string;
  id: string;
}
