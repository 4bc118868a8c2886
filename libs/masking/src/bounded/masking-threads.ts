import { codeFile, TaskFailure, TaskPool, type PluginEntry } from '@spandrel/kernel';
import { MASKED_WHOLE } from '../engine/text-masker.js';
import type { LongText, MaskedText } from './long-text.js';

/** What a text that was masked as a whole is counted under when no masker is to blame: it was not done in time, or not at all. */
const NOBODY = 'none';

/** How long a thread may take over a text; its own limit, of CPU, is shorter (docs/spec/masking.md#a-rule-that-fails). */
const DEADLINE_MS = 3_000;

/** Texts of one project that run or wait in threads at a time, so that no project waits for another's. */
const PROJECT_MAX = 2;

/** Texts of all projects that wait; beyond it they are masked as a whole. */
const QUEUE_MAX = 512;

export interface MaskingThreadsOptions {
  readonly deadlineMs?: number;
}

/** Masks long texts in threads with a hard deadline; what is not done then is masked as a whole. */
export class MaskingThreads {
  private readonly pool: TaskPool<typeof import('./mask-text.thread.js')>;
  private readonly deadlineMs: number;
  /** For each project that has texts here: how many are in the pool, and whose turn is next. */
  private readonly projects = new Map<string, { inside: number; waiting: (() => void)[] }>();

  /** @param plugins what loads the maskers, see `maskerEntries`. */
  constructor(plugins: readonly PluginEntry[], { deadlineMs = DEADLINE_MS }: MaskingThreadsOptions = {}) {
    this.deadlineMs = deadlineMs;
    const file = codeFile('libs/masking/src/bounded/mask-text.thread.ts');
    this.pool = new TaskPool({ file, threadsMax: 2, queueMax: QUEUE_MAX, startMs: 30_000, data: { plugins } });
  }

  /** Masks a text; never rejects. @param project whose text it is. */
  async mask(project: string, text: LongText): Promise<MaskedText> {
    await this.enter(project);
    try {
      return await this.pool.run('maskText', text, { deadlineMs: this.deadlineMs });
    } catch (error) {
      if (!(error instanceof TaskFailure)) throw error;
      return { text: MASKED_WHOLE, failed: [NOBODY], found: [] };
    } finally {
      this.leave(project);
    }
  }

  close(): Promise<void> {
    return this.pool.close();
  }

  private enter(project: string): Promise<void> | undefined {
    const place = this.projects.get(project) ?? { inside: 0, waiting: [] };
    this.projects.set(project, place);
    if (place.inside < PROJECT_MAX) {
      place.inside++;
      return undefined;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    place.waiting.push(resolve);
    return promise;
  }

  private leave(project: string): void {
    const place = this.projects.get(project)!;
    const next = place.waiting.shift();
    if (next) return next();
    if (--place.inside === 0) this.projects.delete(project);
  }
}
