import { setImmediate as nextTurn } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { LOGGER, projectScope, type Logger } from '@spandrel/kernel';
import type { SearchDocument } from '@spandrel/plugin-api';
import { Storage } from '@spandrel/storage';
import { SpanLookups, SpanStore, STATUS, TraceLookups, type StoredSpan } from '@spandrel/tracing';
import { SEARCH_INDEX, type ConfiguredIndex } from './configured-index.js';
import { EmbedSpans, type Embedded } from './embed-spans.js';
import { SearchMetrics } from './search-metrics.js';
import { documentOf, type SpanDocument } from './span-document.js';
import { TASK_KIND } from './search-task.entity.js';
import { SearchTaskStore } from './search-task.store.js';

export interface ClaimedSpans {
  projectId: string;
  claim: string;
  /** Spans of which the index has nothing that is up to date, and those whose vector alone is missing. */
  fresh: readonly string[];
  texted: readonly string[];
}

/** Brings the index to what the spans are now: those that are finished are in it, all others are not. */
@Injectable()
export class IndexSpans {
  constructor(
    @Inject(SEARCH_INDEX) private readonly configured: ConfiguredIndex | null,
    private readonly storage: Storage,
    private readonly spans: SpanStore,
    private readonly spanLookups: SpanLookups,
    private readonly traces: TraceLookups,
    private readonly tasks: SearchTaskStore,
    private readonly embeddings: EmbedSpans,
    private readonly metrics: SearchMetrics,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Does the tasks, or gives those back that want their vector later.
   * @throws Unavailable when the database cannot be used, and what the index throws when it cannot be; the tasks stay.
   */
  async execute(claimed: ClaimedSpans, now: () => number, signal: AbortSignal): Promise<void> {
    const ids = [...claimed.fresh, ...claimed.texted];
    const documents: SpanDocument[] = [];
    for (let at = 0; at < ids.length;) {
      // One round takes as many spans as fit into memory.
      const spans = await this.load(claimed.projectId, ids.slice(at));
      documents.push(...(await this.documentsOf(claimed.projectId, spans.rows)));
      at += spans.looked;
    }
    const present = new Set(documents.map(({ id }) => id));
    await this.remove(
      claimed.projectId,
      ids.filter((id) => !present.has(id)),
    );
    const texts = documents.map(({ embedded }) => embedded);
    const embedded: Embedded =
      texts.length === 0
        ? { vectors: [], refused: false }
        : await this.embeddings.execute(claimed.projectId, texts, now(), signal);
    if ('notBefore' in embedded) return this.withoutVectors(claimed, documents, embedded.notBefore);
    await this.upsert(
      claimed.projectId,
      documents.map((document, at) => ({ ...document, vector: embedded.vectors[at] })),
      embedded.refused,
    );
    await this.finish(claimed, ids, present);
  }

  /** Words are searched although vectors cannot be made now; the tasks stay for these. */
  private async withoutVectors(claimed: ClaimedSpans, documents: SpanDocument[], notBefore: number): Promise<void> {
    const { projectId, claim, texted } = claimed;
    const fresh = documents.filter(({ id }) => !texted.includes(id));
    await this.upsert(projectId, fresh, false);
    const waiting = new Set(documents.map(({ id }) => id));
    const gone = [...claimed.fresh, ...texted].filter((id) => !waiting.has(id));
    const spans = { projectId, claim, kind: TASK_KIND.span };
    await this.storage.write((tx) => this.tasks.release(tx, { ...spans, ids: [...waiting] }, notBefore));
    await this.finish(claimed, gone, new Set());
  }

  private async load(projectId: string, ids: readonly string[]): Promise<{ rows: StoredSpan[]; looked: number }> {
    const rows = await this.spans.loadSome(projectScope(projectId), ids);
    const last = rows.at(-1);
    // None of them: they are gone. Those behind the last may not have fitted.
    return { rows, looked: last === undefined ? ids.length : ids.indexOf(last.id) + 1 };
  }

  private async documentsOf(projectId: string, spans: readonly StoredSpan[]): Promise<SpanDocument[]> {
    const finished = spans.filter(({ status }) => status !== STATUS.running);
    const facts = await this.traces.findFacts(
      projectId,
      finished.map(({ traceId }) => traceId),
    );
    const documents: SpanDocument[] = [];
    for (const span of finished) {
      documents.push(documentOf(span, facts.get(span.traceId)));
      // Large texts take their time; requests go on in between.
      await nextTurn();
    }
    return documents;
  }

  private async remove(projectId: string, ids: readonly string[]): Promise<void> {
    if (ids.length > 0) await this.configured!.index.remove({ projectId }, ids);
  }

  /** @param wanted whether a document without a vector was refused one. */
  private async upsert(projectId: string, documents: readonly SearchDocument[], wanted: boolean): Promise<void> {
    if (wanted) for (const { id, vector } of documents) if (!vector) this.missing('vector', projectId, id);
    if (documents.length === 0) return;
    try {
      await this.configured!.index.upsert({ projectId }, documents.map(wireDocument));
    } catch (error) {
      if ((error as { refused?: unknown }).refused !== true) throw error;
      const [first] = documents;
      if (documents.length > 1) {
        for (const document of documents) await this.upsert(projectId, [document], false);
      } else if (first!.vector) {
        this.missing('vector', projectId, first!.id, error);
        await this.upsert(projectId, [{ ...first!, vector: undefined }], false);
      } else this.missing('span', projectId, first!.id, error);
    }
  }

  private missing(missing: 'vector' | 'span', projectId: string, spanId: string, error?: unknown): void {
    this.metrics.spanRefused(missing);
    this.logger.warn(
      { err: error, project_id: projectId, span_id: spanId },
      `the search index refuses the ${missing} of a span; it stays without`,
    );
  }

  /**
   * Takes the tasks away. What has changed meanwhile is done once more: a span that went after it was read, and one that
   * somebody else was at too, whose older text may have come last.
   */
  private async finish({ projectId, claim }: ClaimedSpans, ids: string[], present: Set<string>): Promise<void> {
    if (ids.length === 0) return;
    await this.storage.write(async (tx) => {
      const done = new Set(await this.tasks.finish(tx, { projectId, claim, kind: TASK_KIND.span, ids }));
      const there = await this.spanLookups.findExisting(tx, projectId, [...present]);
      const again = [...present].filter((id) => !done.has(id) || !there.has(id));
      await this.tasks.noteMissing(
        tx,
        again.map((id) => ({ projectId, kind: TASK_KIND.span, id })),
        Date.now(),
      );
    });
  }
}

const wireDocument = ({ id, text, vector, fields }: SearchDocument): SearchDocument => ({
  id,
  text,
  ...(vector && { vector }),
  fields,
});
