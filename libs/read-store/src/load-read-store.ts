import { Inject, Injectable } from '@nestjs/common';
import { BackgroundTasks, LOGGER, newId, projectScope, type Logger } from '@spandrel/kernel';
import type { ReadStore, ReadStoreBatch, ReadStoreSpan, ReadStoreState } from '@spandrel/plugin-api';
import { Storage } from '@spandrel/storage';
import {
  RecordScanStore,
  SpanLookups,
  SpanStore,
  statusName,
  TraceLookups,
  type StoredSpan,
  type TraceRow,
} from '@spandrel/tracing';
import { READ_STORE } from './configured-store.js';
import { CHANGE_KIND, type ReadStoreChangeRow, type ReadStoreStateRow } from './read-store.entity.js';
import { ReadStoreChangeStore } from './read-store-change.store.js';
import { ReadStoreMetrics } from './read-store-metrics.js';
import { firstTokenMs, storedTrace } from './stored-trace.js';

const BATCH_ROWS = 20_000;
/** Payloads of a project that is loaded as a whole, a batch. */
const BATCH_BYTES = 32 * 1024 * 1024;
const EVERY_MS = 1_000;
const PAUSES_MS = { first: 500, longest: 30_000 };
const NONE = { rows: [], cut: false };
/** How long a batch is another server's business once it has begun; who is slower finds it outdated. */
const LEASE_MS = 30_000;

/**
 * Fills the read store from the changes that are noted, one batch after the other, by one server at a time (ADR 0084).
 * Spans are read once their batch has its number: of two versions of a span the one with the later batch is the newer.
 */
@Injectable()
export class LoadReadStore {
  private readonly holder = newId();
  private isOpen = false;
  private isLoading = false;
  /**
   * Whether the store is known to have what the database says that it has, and nothing that the database does not know, as one
   * restored from a backup: it is asked for no lists before.
   */
  isKnown = false;
  private last: Promise<void> = Promise.resolve();

  constructor(
    @Inject(READ_STORE) private readonly store: ReadStore | null,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly storage: Storage,
    private readonly changes: ReadStoreChangeStore,
    private readonly spans: SpanStore,
    private readonly lookups: SpanLookups,
    private readonly traces: TraceLookups,
    private readonly scan: RecordScanStore,
    private readonly metrics: ReadStoreMetrics,
    tasks: BackgroundTasks,
  ) {
    if (!store) return;
    tasks.add({
      everyMs: EVERY_MS,
      firstMs: 0,
      pausesMs: PAUSES_MS,
      task: (stopped) => this.execute(stopped),
      failure: 'the read store cannot be filled; it will be later',
      recovery: 'the read store is filled again',
    });
    // A batch of a slow store takes longer than a lease: servers would take it from each other for ever.
    tasks.add({
      everyMs: LEASE_MS / 4,
      task: async () => {
        if (this.isLoading) await this.changes.renew(this.holder, Date.now() + LEASE_MS);
      },
      failure: 'the lease of the read store could not be renewed',
    });
  }

  /** Loads all changes that wait. @throws what the store throws, and Unavailable; the changes stay. */
  execute(stopped: AbortSignal = new AbortController().signal): Promise<void> {
    return (this.last = this.last.catch(() => undefined).then(() => this.loadAll(stopped)));
  }

  private async loadAll(stopped: AbortSignal): Promise<void> {
    this.isLoading = true;
    try {
      if (!this.isKnown) await this.look();
      for (let more = [true]; more.includes(true) && !stopped.aborted;)
        more = [await this.loadChanges(), await this.loadProject()];
    } finally {
      this.isLoading = false;
    }
  }

  /** Looks what the store has; it is filled from the start where that is not what it should. @throws StartError as {@link begin} */
  private async look(): Promise<void> {
    const has = await this.storeState();
    // Read behind it: a store is never ahead of its own database.
    const known = await this.changes.state();
    const isOf = known !== undefined && has?.content === known.content;
    if (isOf && has.batch > known.batch)
      await this.startOver('the read store is ahead of the database, as of one that was restored');
    else this.isKnown = isOf && has.batch >= known.confirmed;
    if (!this.isKnown) await this.begin();
  }

  /** @returns whether there may be more. */
  private async loadChanges(): Promise<boolean> {
    if ((await this.changes.next(1)).length === 0) return false;
    const state = await this.begin();
    if (!state) return false;
    const readAt = Date.now();
    const noted = await this.changes.next(BATCH_ROWS);
    const { batch, done } = await this.batchOf(state, noted);
    await this.apply(state, batch);
    await this.changes.confirm(state, done, readAt);
    return done.length < noted.length || noted.length >= BATCH_ROWS;
  }

  /** Loads some spans or traces of a project of which all are to be loaded. @returns whether there may be more. */
  private async loadProject(): Promise<boolean> {
    if (!(await this.changes.nextProject())) return false;
    const state = await this.begin();
    const readAt = Date.now();
    const noted = state && (await this.changes.nextProject());
    if (!noted) return false;
    const { projectId, afterId, kind } = noted;
    const isOfSpans = kind === CHANGE_KIND.project;
    if (isOfSpans && afterId === null) await this.store!.clear(projectId);
    const asked = [projectScope(projectId), afterId ?? '', { rows: BATCH_ROWS, bytes: BATCH_BYTES }] as const;
    const { rows: spans, cut: moreSpans } = isOfSpans ? await this.scan.spans(...asked) : NONE;
    const { rows: traces, cut: moreTraces } = isOfSpans ? NONE : await this.scan.traces(...asked);
    await this.apply(state, { removed: [], spans, traces });
    // What came later is noted itself: a project to which spans are always added is loaded, too.
    if (moreSpans || moreTraces) await this.changes.proceed(state, noted, (spans.at(-1) ?? traces.at(-1))!.id);
    else await this.changes.confirm(state, [noted], readAt);
    return true;
  }

  /** Takes the number of the next batch; the store then has what was confirmed. @throws StartError when it has lost texts that nobody else has. @returns nothing where another server is at it. */
  private async begin(): Promise<ReadStoreStateRow | undefined> {
    const now = Date.now();
    const known = await this.changes.state();
    // Servers that do not note changes yet may still run: on Postgres a command begins, once all do.
    if (!known && !this.storage.exclusive) return undefined;
    const state = await this.storage.write(async (tx) => {
      if (!known) await this.changes.begin(tx, now);
      // Nobody else is on SQLite: who held it has ended.
      const isFree = this.storage.exclusive ? Number.MAX_SAFE_INTEGER : now;
      return this.changes.take(tx, this.holder, isFree, now + LEASE_MS);
    });
    if (!state) return undefined;
    const has = await this.storeState();
    if (has?.content !== state.content || has.batch < state.confirmed) {
      if (state.confirmed > 0) {
        await this.startOver('the read store has lost what it had');
        return this.begin();
      }
      await this.store!.begin(state.content);
    }
    this.isKnown = true;
    return state;
  }

  private async storeState(): Promise<ReadStoreState | null> {
    if (!this.isOpen) await this.store!.open();
    this.isOpen = true;
    return this.store!.state();
  }

  private async startOver(why: string): Promise<void> {
    await this.storage.write((tx) => this.changes.begin(tx, Date.now()));
    this.logger.warn(`${why}; it is filled from the start`);
  }

  private async apply(
    { content, batch }: ReadStoreStateRow,
    {
      removed,
      spans,
      traces,
    }: { removed: ReadStoreBatch['removed']; spans: readonly StoredSpan[]; traces: readonly TraceRow[] },
  ): Promise<void> {
    await this.store!.apply({
      ...{ content, batch, removed },
      spans: spans.map((span) => ({ projectId: span.projectId, span: storedSpan(span) })),
      traces: traces.map((trace) => ({ projectId: trace.projectId, trace: storedTrace(trace) })),
    });
    this.metrics.loaded(spans.length);
  }

  /** What is to be written for changes, and which of them it covers: payloads that do not fit into memory are left. */
  private async batchOf({ batch }: ReadStoreStateRow, noted: readonly ReadStoreChangeRow[]) {
    const removed: { projectId: string; spans: string[]; traces: string[] }[] = [];
    const spans: StoredSpan[] = [];
    const rows: TraceRow[] = [];
    const done: ReadStoreChangeRow[] = noted.filter(({ kind }) => kind !== CHANGE_KIND.span);
    for (const [projectId, changes] of Map.groupBy(noted, (change) => change.projectId)) {
      const scope = projectScope(projectId);
      const ofKind = (kind: number) => changes.filter((change) => change.kind === kind);
      const traces = ofKind(CHANGE_KIND.trace).map(({ id }) => id);
      const ofSpans = ofKind(CHANGE_KIND.span);
      // A trace that is not there was deleted, which is noted beside.
      rows.push(...(await this.traces.load(scope, [...traces, ...ofKind(CHANGE_KIND.traceRow).map(({ id }) => id)])));
      const ids = ofSpans.map(({ id }) => id);
      const loaded = await this.spans.loadSome(scope, ids);
      spans.push(...loaded, ...(await this.spansOf(projectId, traces)));
      const last = loaded.at(-1)?.id;
      const known = last === undefined || ids.length === 0 ? ofSpans : ofSpans.slice(0, ids.indexOf(last) + 1);
      const there = new Set(loaded.map(({ id }) => id));
      const gone = known.filter(({ id, moved }) => moved === 1 || !there.has(id)).map(({ id }) => id);
      removed.push({ projectId, spans: gone, traces });
      done.push(...known);
    }
    this.logger.debug({ batch, changes: done.length }, 'read store: a batch');
    return { batch: { removed, spans, traces: rows }, done };
  }

  /** Spans of traces that were deleted and have come again. */
  private async spansOf(projectId: string, traces: readonly string[]): Promise<StoredSpan[]> {
    if (traces.length === 0) return [];
    const reading = { dialect: this.storage.dialect, all: this.storage.readLong.bind(this.storage) };
    const found: StoredSpan[] = [];
    for (let after = ''; ;) {
      const ids = await this.lookups.listIdsOfTraces(reading, projectId, traces, after, BATCH_ROWS);
      const loaded = ids.length === 0 ? [] : await this.spans.loadSome(projectScope(projectId), ids);
      if (loaded.length === 0) return found;
      found.push(...loaded);
      after = loaded.at(-1)!.id;
    }
  }
}

function storedSpan(span: StoredSpan): ReadStoreSpan {
  return {
    id: span.id,
    trace_id: span.traceId,
    name: span.name,
    kind: span.kindType,
    model: span.model,
    provider: span.provider,
    status: statusName(span.status),
    input_tokens: span.inputTokens,
    output_tokens: span.outputTokens,
    total_tokens: span.totalTokens,
    cached_tokens: span.cachedTokens,
    cost: span.cost,
    started_at: span.startedAt,
    ended_at: span.endedAt,
    duration_ms: span.durationMs,
    first_token_ms: firstTokenMs(span.metadata),
    input: span.input,
    output: span.output,
    error: span.error,
  };
}
