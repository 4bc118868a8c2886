import { defineEntity, p } from '@mikro-orm/core';
import { entityOf, tableOf, type RowOf } from '@spandrel/storage';

/**
 * A replay, from the moment in which its spans are chosen. All that it makes has ids that stand here, so that nothing is
 * made twice by a process that goes on with it.
 */
export const ReplaySchema = defineEntity({
  name: 'Replay',
  tableName: 'replay',
  properties: {
    projectId: p.text().primary(),
    id: p.text().primary(),
    name: p.text(),
    /** The position in `REPLAY_STATUSES`. */
    status: p.smallint(),
    /** JSON string. */
    error: p.text().nullable(),
    datasetId: p.text(),
    baselineRunId: p.text(),
    runId: p.text(),
    /** JSON of a `StartReplay`, as it was sent but for its defaults; `plan` has what was decided of it. */
    request: p.text(),
    requestHash: p.text().nullable(),
    /** JSON of a `ReplayPlan`. */
    plan: p.text(),
    /** JSON of what is said of the spans: `matched`, `taken`, `left_out`. */
    counts: p.text(),
    /** Until when the process that prepares it is taken to be alive. */
    leaseUntil: p.bigint('number'),
    createdAt: p.bigint('number'),
  },
  indexes: [
    { name: 'replay_dataset', properties: ['projectId', 'datasetId'] },
    { name: 'replay_baseline', properties: ['projectId', 'baselineRunId'] },
    { name: 'replay_unfinished', properties: ['leaseUntil'], where: 'status = 0' },
  ],
});

export type ReplayRow = RowOf<typeof ReplaySchema>;
export const Replay = entityOf(ReplaySchema);
export const replayTable = tableOf(ReplaySchema, ['projectId', 'id']);
