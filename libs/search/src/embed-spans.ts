import { Inject, Injectable } from '@nestjs/common';
import { ConnectionUnusable } from '@spandrel/connections';
import { backoff, LOGGER, type Logger } from '@spandrel/kernel';
import { Storage } from '@spandrel/storage';
import { SEARCH_INDEX, type ConfiguredIndex } from './configured-index.js';
import { EmbeddingTargets, NoEmbedding } from './embedding-target.js';
import { EmbeddingError, embedTexts } from './embed-texts.js';
import { SearchStateStore } from './search-state.store.js';

const FIRST_PAUSE_MS = 1_000;
const PAUSE_MS_MAX = 300_000;
/** What the vectors of one batch may take, tries and all: well below the time that its tasks are held. */
const BATCH_MS_MAX = 30_000;

/** Vectors of some texts: one or none for each, or when to ask again. */
export type Embedded = { vectors: (number[] | undefined)[]; refused: boolean } | { notBefore: number };

/** Makes the vectors of projects; an endpoint that fails is left alone for a while, longer every time. */
@Injectable()
export class EmbedSpans {
  private readonly pauses = new Map<string, { until: number; failures: number }>();

  constructor(
    @Inject(SEARCH_INDEX) private readonly configured: ConfiguredIndex | null,
    private readonly storage: Storage,
    private readonly targets: EmbeddingTargets,
    private readonly states: SearchStateStore,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** @throws Unavailable when the database cannot be used. */
  async execute(projectId: string, texts: readonly string[], now: number, signal: AbortSignal): Promise<Embedded> {
    const pause = this.pauses.get(projectId);
    if (pause && now < pause.until) return { notBefore: pause.until };
    try {
      const target = await this.targets.of(projectId);
      if (target instanceof NoEmbedding) {
        await this.noteEmbedding(projectId, '');
        return { vectors: texts.map(() => undefined), refused: false };
      }
      await this.noteEmbedding(projectId, target.key);
      const inTime = AbortSignal.any([signal, AbortSignal.timeout(BATCH_MS_MAX)]);
      const vectors = await embedTexts(target, texts, inTime);
      this.pauses.delete(projectId);
      return { vectors, refused: true };
    } catch (error) {
      if (!(error instanceof EmbeddingError || error instanceof ConnectionUnusable)) throw error;
      const failures = (pause?.failures ?? 0) + 1;
      const until = now + backoff(failures, FIRST_PAUSE_MS, PAUSE_MS_MAX);
      this.pauses.set(projectId, { until, failures });
      if (failures === 1 && !signal.aborted) {
        const fields = { project_id: projectId, reason: error.message };
        this.logger.warn(fields, 'no vectors for search for now; spans are found by their words alone');
      }
      return { notBefore: until };
    }
  }

  /**
   * Has all spans of a project indexed again when their vectors would be of another connection or model than before.
   * @param key empty where there is no connection: what has vectors keeps them.
   * @returns whether anything was noted.
   */
  async noteEmbedding(projectId: string, key: string): Promise<boolean> {
    const { name: indexName } = this.configured!;
    const known = await this.states.find(projectId);
    if (known?.embedding === key || (key === '' && typeof known?.embedding === 'string')) return false;
    await this.storage.write(async (tx) => {
      const state = await this.states.findForWrite(tx, projectId);
      const changed = typeof state?.embedding === 'string' && state.embedding !== key;
      const afterId = changed ? '' : (state?.afterId ?? null);
      await this.states.save(tx, { projectId, indexName, embedding: key, afterId });
    });
    return true;
  }
}
