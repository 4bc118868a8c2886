import { codeFile, TaskFailure, TaskPool, type PluginEntry } from '@spandrel/kernel';
import { MASKED_WHOLE } from '../engine/text-masker.js';
import type { LongText, MaskedText } from './mask-text.thread.js';

/** What a text that was masked as a whole is counted under when no masker is to blame: it was not done in time, or not at all. */
const NOBODY = 'none';

/** How long a thread may take over a text; its own limit, of CPU, is shorter (docs/spec/masking.md#a-rule-that-fails). */
const DEADLINE_MS = 3_000;

/** Masks long texts in threads with a hard deadline; what is not done then is masked as a whole. */
export class MaskingThreads {
  private readonly pool: TaskPool<typeof import('./mask-text.thread.js')>;

  /** @param plugins what loads the maskers, see `maskerEntries`. */
  constructor(
    plugins: readonly PluginEntry[],
    private readonly deadlineMs = DEADLINE_MS,
  ) {
    const file = codeFile('libs/masking/src/bounded/mask-text.thread.ts');
    // Who waits has one text here; how many that are is a limit of requests.
    this.pool = new TaskPool({ file, threadsMax: 2, queueMax: Infinity, startMs: 30_000, data: { plugins } });
  }

  /** Masks a text; never rejects. @param project whose text it is. */
  async mask(project: string, text: LongText): Promise<MaskedText> {
    try {
      return await this.pool.run('maskText', text, { deadlineMs: this.deadlineMs, group: project });
    } catch (error) {
      if (!(error instanceof TaskFailure)) throw error;
      return { text: MASKED_WHOLE, failed: [NOBODY], found: [] };
    }
  }

  close(): Promise<void> {
    return this.pool.close();
  }
}
