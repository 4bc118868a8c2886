import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { LOGGER, type Logger, type Scope } from '@spandrel/kernel';
import type { ListTraces } from '@spandrel/contract';
import {
  isKeyOfTrace,
  type ReadStore,
  type ReadStoreFilters,
  type ReadStoreGiven,
  type ReadStoreQueryOf,
  type ReadStoreTraceFilters,
} from '@spandrel/plugin-api';
import { needleInJson, type Part, type Position, type WriteTx } from '@spandrel/storage';
import {
  ReadStoreAway,
  ReadStorePort,
  TraceLookups,
  type SpanQuery,
  type SpanTexts,
  type StoredList,
  type StoredSpan,
  type StoredSpanList,
  type StoredSpans,
  type StoredSpanSums,
  type StoredSumQuery,
} from '@spandrel/tracing';
import { noteAnswered } from './answer-header.js';
import { READ_STORE } from './configured-store.js';
import { LoadReadStore } from './load-read-store.js';
import { CHANGE_KIND } from './read-store.entity.js';
import { ReadStoreChangeStore } from './read-store-change.store.js';
import { ReadStoreDayStore } from './read-store-day.store.js';
import { ReadStoreMetrics, type Answered } from './read-store-metrics.js';
import { ReadStoreSettings } from './read-store.settings.js';
import { storedTrace } from './stored-trace.js';

/** Changes that the database looks up beside the store; with more of them it answers alone. */
const PENDING_MAX = 20_000;
/** How long a store that failed is not asked. */
const AWAY_MS = 5_000;

/** Members of a query that say how it is listed, not which spans it takes. */
const NO_FILTERS: ReadonlySet<string> = new Set(['sort_by', 'sort_order', 'limit', 'cursor', 'scoredOrder', 'days']);
const OF_TRACES = ['session_id', 'user_id', 'tag'] as const;
const TEXTS = ['text_contains', 'input_contains', 'output_contains', 'error_contains'] as const;

type SpanPlace = Pick<StoredSpan, 'id' | 'traceId' | 'startedAt'>;

type Common = Omit<ReadStoreQueryOf<unknown>, 'filters' | 'limit'>;

/**
 * Asks the read store for lists of spans and traces and for sums and
 * texts, as far as it says that it can and has what it should.
 */
@Injectable()
export class StoredLists implements StoredSpans, OnModuleInit {
  private awayUntil = -Infinity;

  constructor(
    @Inject(READ_STORE) private readonly store: ReadStore | null,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly port: ReadStorePort,
    private readonly changes: ReadStoreChangeStore,
    private readonly days: ReadStoreDayStore,
    private readonly traces: TraceLookups,
    private readonly settings: ReadStoreSettings,
    private readonly metrics: ReadStoreMetrics,
    private readonly loader: LoadReadStore,
  ) {}

  onModuleInit(): void {
    if (this.store) this.port.registered = this;
  }

  async listOf(scope: Scope, query: SpanQuery): Promise<StoredSpanList | undefined> {
    const { sort_order } = query;
    const filters = this.filtersOf<ReadStoreFilters>(query, this.store!.capabilities.filters);
    const sort_by = this.store!.capabilities.sorts.find((one) => one === query.sort_by);
    if (!filters || sort_by === undefined) return undefined;
    const common = await this.askable(scope, isOfTraces(filters));
    if (!common) return undefined;
    const asked = { ...common, filters };
    const find = (part: Part, behind: Position | undefined, limit: number) =>
      this.ask((store) => store.list({ ...asked, sort_by, sort_order, part, behind, limit }));
    const count = (limit: number) => this.ask((store) => store.count({ ...asked, limit }));
    return { pending: common.except.spans, find, count };
  }

  async textsOf(scope: Scope, spans: readonly SpanPlace[]): Promise<Map<string, SpanTexts>> {
    const state = performance.now() < this.awayUntil ? undefined : await this.changes.state();
    if (!state || !this.store!.texts) throw new ReadStoreAway('the read store cannot be asked for texts');
    const has = { content: state.content, batch: state.confirmed };
    const places = spans.map(({ id, traceId, startedAt }) => ({ id, trace_id: traceId, started_at: startedAt }));
    const texts = await this.ask((store) => store.texts!({ projectId: scope.projectId, has, spans: places }));
    return new Map(texts.map(({ id, input, output }) => [id, { input, output }]));
  }

  broughtBack(tx: WriteTx, scope: Scope, starts: readonly number[]): Promise<void> {
    return this.days.open(tx, scope, starts);
  }

  async tracesOf(scope: Scope, query: Omit<ListTraces, 'limit'>): Promise<StoredList | undefined> {
    const { sort_order } = query;
    const filters = this.filtersOf<ReadStoreTraceFilters>(query, this.store!.capabilities.traceFilters);
    const sort_by = this.store!.capabilities.traceSorts.find((one) => one === query.sort_by);
    const common = filters && sort_by !== undefined ? await this.askable(scope, true) : undefined;
    if (!common) return undefined;
    const asked = { ...common, filters: filters! };
    return {
      find: (part, behind, limit) =>
        this.ask((store) => store.listTraces({ ...asked, sort_by: sort_by!, sort_order, part, behind, limit })),
      count: (limit) => this.ask((store) => store.countTraces({ ...asked, limit })),
    };
  }

  async sumsOf(scope: Scope, query: SpanQuery, sums: StoredSumQuery): Promise<StoredSpanSums | undefined> {
    const { filters: declared, sums: canSum, percentiles } = this.store!.capabilities;
    const filters = this.filtersOf<ReadStoreFilters>(query, declared);
    if (!filters || !canSum || ((sums.latencies || sums.first_tokens) && !percentiles)) return undefined;
    // What a text in small letters finds is more than what is asked for.
    if (TEXTS.some((name) => filters[name] !== undefined)) return undefined;
    const common = await this.askable(scope, isOfTraces(filters) || sums.keys.some(isKeyOfTrace));
    if (!common) return undefined;
    const add = (given: readonly ReadStoreGiven[]) =>
      this.ask((store) => store.sum({ ...common, filters, ...sums, given }));
    return { pending: common.except.spans, add };
  }

  /**
   * What the store must have and what it is not asked for; changes are read first, then what has been confirmed.
   * @param withTraces whether the answer depends on what traces say. @returns nothing where the database answers alone.
   */
  private async askable(scope: Scope, withTraces: boolean): Promise<Common | undefined> {
    const found =
      !this.loader.isKnown || performance.now() < this.awayUntil ? 'off' : await this.commonOf(scope, withTraces);
    this.note(typeof found === 'string' ? found : 'store');
    return typeof found === 'string' ? undefined : found;
  }

  private async commonOf(scope: Scope, withTraces: boolean): Promise<Common | Answered> {
    const pending = await this.changes.pendingOf(scope, PENDING_MAX + 1);
    const state = await this.changes.state();
    if (!state) return 'off';
    const oldest = pending.reduce((least, { notedAt }) => Math.min(least, notedAt), Infinity);
    const isBehind =
      state.confirmed === 0 ||
      pending.length > PENDING_MAX ||
      oldest < Date.now() - this.settings.lagMaxMs ||
      pending.some(({ kind }) => kind === CHANGE_KIND.project || kind === CHANGE_KIND.projectTraces);
    if (isBehind) return 'behind';
    const ids = (of: number) => pending.flatMap(({ kind, id }) => (kind === of ? id : []));
    const deleted = ids(CHANGE_KIND.trace);
    const others = withTraces ? [...deleted, ...ids(CHANGE_KIND.traceRow)] : [];
    const traces = await this.traces.load(scope, others);
    const there = new Set(traces.map(({ id }) => id));
    return {
      projectId: scope.projectId,
      has: { content: state.content, batch: state.confirmed },
      except: { spans: ids(CHANGE_KIND.span), traces: deleted },
      instead: { gone: others.filter((id) => !there.has(id)), traces: traces.map(storedTrace) },
    };
  }

  /** The filters as the store takes them. @returns `undefined` where it does not declare one of them. */
  private filtersOf<Filters extends ReadStoreFilters>(
    query: object,
    names: readonly (keyof Filters)[],
  ): Filters | undefined {
    const given = Object.entries(query).filter(([name, value]) => value !== undefined && !NO_FILTERS.has(name));
    const declared: ReadonlySet<unknown> = new Set(names);
    if (given.some(([name]) => !declared.has(name))) return undefined;
    const filters = Object.fromEntries(given) as Filters;
    for (const name of TEXTS) if (filters[name] !== undefined) filters[name] = needleInJson(filters[name]);
    return filters;
  }

  private async ask<Answer>(ask: (store: ReadStore) => Promise<Answer>): Promise<Answer> {
    try {
      return await ask(this.store!);
    } catch (error) {
      this.awayUntil = performance.now() + AWAY_MS;
      this.loader.isKnown = false;
      this.note('off');
      this.logger.warn({ err: error }, 'the read store cannot be asked; the database answers alone');
      throw new ReadStoreAway('the read store cannot be asked', { cause: error });
    }
  }

  private note(by: Answered): void {
    noteAnswered(by);
    this.metrics.answered(by);
  }
}

const isOfTraces = (filters: ReadStoreFilters): boolean => OF_TRACES.some((name) => filters[name] !== undefined);
