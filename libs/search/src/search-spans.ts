import { Inject, Injectable } from '@nestjs/common';
import { ConnectionUnusable } from '@spandrel/connections';
import { isStorableText, type FoundSpanOutline, type Search } from '@spandrel/contract';
import type { Texts } from '@spandrel/http';
import { CoreSettings, DomainError, LOGGER, type Logger, type Scope, Unavailable, withinMs } from '@spandrel/kernel';
import type { SearchHit, SearchQuery } from '@spandrel/plugin-api';
import { Storage } from '@spandrel/storage';
import { ScoresPort, SpanLookups, spanOutline, SpanOutlineStore, spanTexts, SpanStore } from '@spandrel/tracing';
import { SEARCH_INDEX, type ConfiguredIndex } from './configured-index.js';
import { EmbedSpans } from './embed-spans.js';
import { callOnce, EmbeddingError } from './embed-texts.js';
import { EmbeddingTargets, NoEmbedding } from './embedding-target.js';
import { TASK_KIND } from './search-task.entity.js';
import { SearchTaskStore } from './search-task.store.js';
import { SearchWorker } from './search-worker.js';
import { cleanText } from './span-document.js';

/** Hits asked for beyond the limit: some may be of spans that are gone. */
const HITS_BEYOND = 20;
/** The most that the index is asked for when many are. */
const HITS_MAX = 2_000;
/** How many times as many in every further round. */
const ROUND_FACTOR = 4;
/** Hits of each mode that are fused. */
const FUSED_MIN = 100;
/** What an index may take; its own timeouts should be shorter. */
const INDEX_TIMEOUT_MS = 20_000;

/** `POST /api/search` (docs/spec/search.md#asking). */
@Injectable()
export class SearchSpans {
  constructor(
    @Inject(SEARCH_INDEX) private readonly configured: ConfiguredIndex | null,
    private readonly core: CoreSettings,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly storage: Storage,
    private readonly targets: EmbeddingTargets,
    private readonly embeddings: EmbedSpans,
    private readonly spanLookups: SpanLookups,
    private readonly spans: SpanStore,
    private readonly outlines: SpanOutlineStore,
    private readonly tasks: SearchTaskStore,
    private readonly worker: SearchWorker,
    private readonly scores: ScoresPort,
  ) {}

  /**
   * The spans that the index finds and that are still there and match, best first; fewer than asked for when they are
   * larger than an answer may be. As JSON.
   * @throws DomainError `search_not_available`; Unavailable when index, embedding endpoint or database cannot be used.
   */
  async find(scope: Scope, search: Search): Promise<Texts[]> {
    const scores = await this.scoresOf(scope, search);
    const spans = await this.spans.loadSome(scope, [...scores.keys()]);
    const given = await this.scores.ofSpans(scope, spans, search.include);
    return spans.map((span) => [
      ...spanTexts(span).slice(0, -1),
      `,"score":${scores.get(span.id)!}`,
      ...(given ? [`,"scores":${JSON.stringify(given.get(span.id) ?? {})}`] : []),
      '}',
    ]);
  }

  /** What {@link find} finds, without its texts. @throws as it does. */
  async findOutlines(scope: Scope, search: Search): Promise<FoundSpanOutline[]> {
    const scores = await this.scoresOf(scope, search);
    const ids = [...scores.keys()];
    const spans = await this.outlines.loadSome(scope, ids, search.preview);
    const given = await this.scores.ofSpans(scope, spans, search.include);
    return spans.map((span) => ({
      ...{ ...spanOutline(span), score: scores.get(span.id)! },
      ...(given && { scores: given.get(span.id) ?? {} }),
    }));
  }

  private async scoresOf(scope: Scope, search: Search): Promise<Map<string, number>> {
    if (!this.configured) throw notAvailable(this.whatToConfigure());
    if (!canMatch(search.filters)) return new Map();
    const vector = search.mode === 'text' ? undefined : await this.vectorOf(scope, search.query);
    const hits = await this.hitsOf(scope, search, vector);
    return new Map(hits.map(({ id, score }) => [id, score]));
  }

  /** Asks for more as long as too many of what comes are gone. */
  private async hitsOf(scope: Scope, search: Search, vector: number[] | undefined): Promise<SearchHit[]> {
    const { projectId } = scope;
    for (let asked = search.limit + HITS_BEYOND; ; asked = Math.min(asked * ROUND_FACTOR, HITS_MAX)) {
      const { hits, complete } = await this.ask(projectId, search, vector, asked);
      const ids = hits.map(({ id }) => id);
      const matching = await this.spanLookups.findMatching(scope, ids, search.filters);
      this.noteStale(
        projectId,
        ids.filter((id) => !matching.has(id)),
      );
      const kept = hits.filter(({ id }) => matching.has(id));
      if (kept.length >= search.limit || complete || asked >= HITS_MAX) return kept.slice(0, search.limit);
    }
  }

  /** @returns `complete` when the index has no more. */
  private async ask(
    projectId: string,
    { query, mode, filters }: Search,
    vector: number[] | undefined,
    asked: number,
  ): Promise<{ hits: SearchHit[]; complete: boolean }> {
    const limit = mode === 'hybrid' ? Math.max(asked, FUSED_MIN) : asked;
    const queries: SearchQuery[] = [];
    if (mode !== 'vector') queries.push({ mode: 'text', text: cleanText(query), filters, limit });
    if (vector) queries.push({ mode: 'vector', vector, filters, limit });
    const answers = await Promise.all(queries.map((one) => this.askIndex(projectId, one)));
    const complete = answers.every((hits) => hits.length < limit);
    return { hits: answers.length === 1 ? answers[0]! : fuseHits(...answers), complete };
  }

  private async askIndex(projectId: string, query: SearchQuery): Promise<SearchHit[]> {
    try {
      const answer = this.configured!.index.query({ projectId }, query);
      return await withinMs(INDEX_TIMEOUT_MS, answer, () => {
        throw new Error(`no answer within ${INDEX_TIMEOUT_MS / 1_000} s`);
      });
    } catch (error) {
      this.logger.warn({ err: error, index: this.configured!.name }, 'the search index did not answer a query');
      const why =
        (error as { refused?: unknown }).refused === true ? `: ${(error as Error).message}` : '; try again soon';
      throw new Unavailable(`the search index did not answer the query${why}`, { cause: error });
    }
  }

  private async vectorOf({ projectId, signal }: Scope, query: string): Promise<number[]> {
    try {
      const target = await this.targets.of(projectId);
      if (target instanceof NoEmbedding) throw notAvailable(`${target.reason}; mode "text" needs none`);
      if (await this.embeddings.noteEmbedding(projectId, target.key)) this.worker.wake();
      return (await callOnce(target, [cleanText(query)], signal))[0]!;
    } catch (error) {
      if (!(error instanceof EmbeddingError || error instanceof ConnectionUnusable)) throw error;
      throw new Unavailable(`the vector of the query could not be made: ${error.message}`, { cause: error });
    }
  }

  /** The index has not heard of all that happened; spans it should not have found are looked at again. */
  private noteStale(projectId: string, ids: readonly string[]): void {
    if (ids.length === 0) return;
    const keys = ids.map((id) => ({ projectId, kind: TASK_KIND.span, id }));
    this.storage
      .write((tx) => this.tasks.noteMissing(tx, keys, Date.now()))
      .then(() => this.worker.wake())
      .catch(() => undefined);
  }

  private whatToConfigure(): string {
    return this.core.mode === 'local'
      ? 'search is for cloud mode (SPANDREL_MODE=cloud) with a search index (search.index); local mode has the filters of GET /api/spans'
      : 'no search index is configured: set search.index to pgvector or qdrant, and list that plugin in plugins:';
  }
}

/** Search, or the way of searching that was asked for, is not set up. @param detail says what to configure. */
const notAvailable = (detail: string): DomainError => new DomainError('search_not_available', detail);

/** Whether anything can match: no column holds just any text. */
const canMatch = (filters: Search['filters']): boolean =>
  Object.values(filters).every((value) => typeof value !== 'string' || isStorableText(value));

/** How much the first places count more than those behind; the usual value (Cormack, Clarke, Büttcher 2009). */
const RANK_CONSTANT = 60;

/** Rankings made one by reciprocal rank fusion: scores of different kinds need not be comparable. Best first. */
export function fuseHits(...rankings: readonly (readonly SearchHit[])[]): SearchHit[] {
  const scores = new Map<string, number>();
  for (const ranking of rankings) {
    for (const [at, { id }] of ranking.entries()) {
      scores.set(id, (scores.get(id) ?? 0) + 1 / (RANK_CONSTANT + at + 1));
    }
  }
  return [...scores].map(([id, score]) => ({ id, score })).sort((a, b) => b.score - a.score);
}
