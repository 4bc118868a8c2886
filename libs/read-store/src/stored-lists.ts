import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { LOGGER, type Logger, type Scope } from '@spandrel/kernel';
import type { ReadStore, ReadStoreFilters, ReadStoreQuery } from '@spandrel/plugin-api';
import { needleInJson, type Part, type Position, type WriteTx } from '@spandrel/storage';
import {
  ReadStoreAway,
  ReadStorePort,
  type SpanQuery,
  type SpanTexts,
  type StoredList,
  type StoredSpan,
  type StoredSpans,
} from '@spandrel/tracing';
import { noteAnswered } from './answer-header.js';
import { READ_STORE } from './configured-store.js';
import { CHANGE_KIND } from './read-store.entity.js';
import { ReadStoreChangeStore } from './read-store-change.store.js';
import { ReadStoreDayStore } from './read-store-day.store.js';
import { ReadStoreMetrics, type Answered } from './read-store-metrics.js';
import { ReadStoreSettings } from './read-store.settings.js';

/** Changes that the database looks up beside the store; with more of them it answers alone. */
const PENDING_MAX = 20_000;
/** How long a store that failed is not asked. */
const AWAY_MS = 5_000;

/** Members of a query that say how it is listed, not which spans it takes. */
const NO_FILTERS: ReadonlySet<string> = new Set(['sort_by', 'sort_order', 'limit', 'cursor', 'scoredOrder', 'days']);
const TEXTS = ['text_contains', 'input_contains', 'output_contains', 'error_contains'] as const;

type SpanPlace = Pick<StoredSpan, 'id' | 'traceId' | 'startedAt'>;

/** Asks the read store for lists of spans and for texts, as far as it says that it can and has what it should. */
@Injectable()
export class StoredLists implements StoredSpans, OnModuleInit {
  private awayUntil = -Infinity;

  constructor(
    @Inject(READ_STORE) private readonly store: ReadStore | null,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly port: ReadStorePort,
    private readonly changes: ReadStoreChangeStore,
    private readonly days: ReadStoreDayStore,
    private readonly settings: ReadStoreSettings,
    private readonly metrics: ReadStoreMetrics,
  ) {}

  onModuleInit(): void {
    if (this.store) this.port.registered = this;
  }

  async listOf(scope: Scope, query: SpanQuery): Promise<StoredList | undefined> {
    const { sort_order } = query;
    const filters = this.filtersOf(query);
    const sort_by = this.store!.capabilities.sorts.find((one) => one === query.sort_by);
    if (!filters || sort_by === undefined) return undefined;
    const found = performance.now() < this.awayUntil ? 'off' : await this.askable(scope);
    if (typeof found === 'string') {
      this.note(found);
      return undefined;
    }
    this.note('store');
    const asked: Omit<ReadStoreQuery, 'limit'> = { projectId: scope.projectId, filters, ...found };
    const find = (part: Part, behind: Position | undefined, limit: number) =>
      this.ask((store) => store.list({ ...asked, sort_by, sort_order, part, behind, limit }));
    const count = (limit: number) => this.ask((store) => store.count({ ...asked, limit }));
    return { pending: found.except.spans, find, count };
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

  /** What the store must have and what it is not asked for; changes are read first, then what has been confirmed. */
  private async askable(scope: Scope): Promise<Pick<ReadStoreQuery, 'has' | 'except'> | Answered> {
    const pending = await this.changes.pendingOf(scope, PENDING_MAX + 1);
    const state = await this.changes.state();
    if (!state) return 'off';
    const oldest = pending.reduce((least, { notedAt }) => Math.min(least, notedAt), Infinity);
    const isBehind =
      state.confirmed === 0 ||
      pending.length > PENDING_MAX ||
      oldest < Date.now() - this.settings.lagMaxMs ||
      pending.some(({ kind }) => kind === CHANGE_KIND.project);
    if (isBehind) return 'behind';
    const ids = (of: number) => pending.flatMap(({ kind, id }) => (kind === of ? id : []));
    return {
      has: { content: state.content, batch: state.confirmed },
      except: { spans: ids(CHANGE_KIND.span), traces: ids(CHANGE_KIND.trace) },
    };
  }

  /** The filters as the store takes them. @returns `undefined` where it does not declare one of them. */
  private filtersOf(query: SpanQuery): ReadStoreFilters | undefined {
    const given = Object.entries(query).filter(([name, value]) => value !== undefined && !NO_FILTERS.has(name));
    const declared: ReadonlySet<string> = new Set(this.store!.capabilities.filters);
    if (given.some(([name]) => !declared.has(name))) return undefined;
    const filters = Object.fromEntries(given) as ReadStoreFilters;
    for (const name of TEXTS) if (filters[name] !== undefined) filters[name] = needleInJson(filters[name]);
    return filters;
  }

  private async ask<Answer>(ask: (store: ReadStore) => Promise<Answer>): Promise<Answer> {
    try {
      return await ask(this.store!);
    } catch (error) {
      this.awayUntil = performance.now() + AWAY_MS;
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
