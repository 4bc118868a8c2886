import { createHash } from 'node:crypto';
import { projectScope, type Scope } from '@spandrel/kernel';
import type { Storage, WriteTx } from '@spandrel/storage';
import { countedSpans, countTraces, projectsWithRecords } from '@spandrel/tracing';
import { compactLatencies } from './latency-histogram.js';
import { RollupDeltas } from './rollup-deltas.js';
import {
  addRollups,
  addTotals,
  allRollups,
  allTotals,
  compactAll,
  deleteAllRollups,
  deleteRollups,
  lockRollups,
} from './rollup.sql.js';

export interface Recount {
  projects: number;
  traces: number;
  spans: number;
  differed: boolean;
}

/** Counts the roll-ups of all projects again; on Postgres also while instances write, which wait for it. */
export const rebuildRollups = (storage: Storage): Promise<Recount> => storage.write(recountAll);

/** Counts again like {@link rebuildRollups}, in an open transaction that has not written roll-ups. */
export async function recountAll(tx: WriteTx): Promise<Recount> {
  await lockRollups(tx);
  const before = await digest(tx);
  await deleteAllRollups(tx);
  const recount = { projects: 0, traces: 0, spans: 0 };
  for await (const projectId of projectsWithRecords(tx)) {
    const { traces, spans } = await count(tx, projectScope(projectId));
    recount.projects++;
    recount.traces += traces;
    recount.spans += spans;
  }
  await compactAll(tx);
  return { ...recount, differed: (await digest(tx)) !== before };
}

/**
 * Counts the roll-ups of one project again at the end of a transaction that changed too much to be added up. It sees what
 * other instances have committed meanwhile; what they have not yet is added when they come to it.
 */
export async function recountProject(tx: WriteTx, scope: Scope): Promise<void> {
  await deleteRollups(tx, scope);
  await count(tx, scope);
}

async function count(tx: WriteTx, scope: Scope): Promise<{ traces: number; spans: number }> {
  let spans = 0;
  for await (const slice of countedSpans(tx, scope)) {
    const deltas = new RollupDeltas();
    for (const span of slice) deltas.add(span, 1);
    await addRollups(tx, deltas.rows());
    spans += slice.length;
  }
  const traces = await countTraces(tx, scope);
  if (traces > 0) await addTotals(tx, [{ projectId: scope.projectId, traceCount: traces }]);
  return { traces, spans };
}

async function digest(tx: WriteTx): Promise<string> {
  const hash = createHash('sha256');
  for await (const rows of allRollups(tx))
    for (const row of rows) hash.update(JSON.stringify({ ...row, latencies: compactLatencies(row.latencies) }));

  return hash.update(JSON.stringify(await allTotals(tx))).digest('hex');
}
