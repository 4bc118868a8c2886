import { Injectable, type OnModuleInit } from '@nestjs/common';
import { getOrMake } from '@spandrel/contract';
import { projectScope, type Scope } from '@spandrel/kernel';
import { allSettledOrThrow, type WriteTx } from '@spandrel/storage';
import {
  countedSpans,
  SpanCommitParticipants,
  type LeavingSpans,
  type SpanCommitParticipant,
  type TracingChange,
} from '@spandrel/tracing';
import { hourSums } from './sums.js';
import type { TimeRange } from './plan-range.js';
import { recountProject } from './recount-rollups.js';
import { RollupDeltas } from './rollup-deltas.js';
import { addRollups, addTotals, deleteMinutes, lockRollups } from './rollup.sql.js';

interface Effect extends Leaving {
  traces: Map<string, number>;
  /** Projects that were emptied; their rows are counted again. */
  cleared: Set<string>;
}

interface Leaving {
  deltas: RollupDeltas;
  /** Whole days that were emptied, of some projects. */
  days: { range: TimeRange; projectIds: readonly string[] }[];
}

/**
 * Keeps the roll-ups in the transactions that write traces and spans
 * (docs/spec/analytics.md#sums-are-kept-and-not-counted, ADR 0010).
 */
@Injectable()
export class KeepRollups implements SpanCommitParticipant, OnModuleInit {
  readonly name = 'analytics';
  /** Spans of traces that a transaction deletes, read while they were there. */
  private readonly leaving = new WeakMap<WriteTx, Leaving>();

  constructor(private readonly participants: SpanCommitParticipants) {}

  onModuleInit(): void {
    this.participants.register(this);
  }

  async beforeDelete(tx: WriteTx, { scope, traceId }: { scope: Scope; traceId: string }): Promise<void> {
    const { deltas } = this.leavingOf(tx);
    for await (const spans of countedSpans(tx, scope, traceId)) for (const span of spans) deltas.add(span, -1);
  }

  async beforeExpire(tx: WriteTx, leaving: LeavingSpans): Promise<void> {
    const { deltas, days } = this.leavingOf(tx);
    if ('spans' in leaving) {
      for (const span of leaving.spans) deltas.add(span, -1);
      return;
    }
    // All spans of the range go, so that nothing of its hours and minutes is left whatever their latencies.
    const sums = await hourSums(tx, leaving.range);
    for (const hour of sums) deltas.subtract(hour);
    days.push({ range: leaving.range, projectIds: [...new Set(sums.map(({ projectId }) => projectId))] });
  }

  /** The rows that writers share are touched as the last of the transaction: on Postgres they are locked from there on. */
  async onCommit(tx: WriteTx, changes: readonly TracingChange[]): Promise<void> {
    const effect = effectOf(changes, this.leavingOf(tx));
    tx.end.beforeCommit(() => write(tx, effect));
  }

  private leavingOf(tx: WriteTx): Leaving {
    return getOrMake(this.leaving, tx, () => ({ deltas: new RollupDeltas(), days: [] }));
  }
}

function effectOf(changes: readonly TracingChange[], { deltas, days }: Leaving): Effect {
  const effect: Effect = { deltas, days, traces: new Map(), cleared: new Set() };
  const countTrace = ({ projectId }: Scope, count: number): void =>
    void effect.traces.set(projectId, (effect.traces.get(projectId) ?? 0) + count);
  for (const change of changes) {
    switch (change.type) {
      case 'trace_created':
        countTrace(change.scope, 1);
        break;
      case 'trace_deleted':
        countTrace(change.scope, -1);
        break;
      case 'cleared':
        effect.cleared.add(change.scope.projectId);
        break;
      case 'trace_updated':
        break;
      default:
        if (change.before) deltas.add(change.before, -1);
        if (change.after) deltas.add(change.after, 1);
    }
  }
  return effect;
}

async function write(tx: WriteTx, { deltas, days, traces, cleared }: Effect): Promise<void> {
  if (cleared.size > 0) {
    await lockRollups(tx);
    for (const projectId of cleared) await recountProject(tx, projectScope(projectId));
  }
  const isKept = ({ projectId }: { projectId: string }): boolean => !cleared.has(projectId);
  for (const { projectIds, range } of days) await deleteMinutes(tx, projectIds.toSorted(), range);
  const adding = deltas.touched && addRollups(tx, deltas.rows().filter(isKept));
  const totals = [...traces].map(([projectId, traceCount]) => ({ projectId, traceCount }));
  const counted = totals.filter((total) => total.traceCount !== 0 && isKept(total)).toSorted(byProject);
  await allSettledOrThrow(adding, addTotals(tx, counted));
}

const byProject = (a: { projectId: string }, b: { projectId: string }): number => (a.projectId < b.projectId ? -1 : 1);
