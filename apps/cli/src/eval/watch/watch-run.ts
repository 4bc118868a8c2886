import { setTimeout as delay } from 'node:timers/promises';
import type { EvalRunSummary } from '@spandrel/contract';
import { SpandrelError, type Api } from '@spandrel/sdk';
import type { Progress } from './progress.js';
import { openRunEvents, type RunEvent } from './run-events.js';

export interface WatchOptions {
  onProgress: (progress: Progress) => void;
  /** Ends the watching: its reason is thrown. The run goes on. */
  signal: AbortSignal;
  /** How often it is asked without events and with them, and how long a server may be away. */
  times?: Times;
}

interface Times {
  pollMs: number;
  checkMs: number;
  awayMs: number;
}

/** While events come the run is asked now and then all the same: a connection may be dead without a word. */
const TIMES: Times = { pollMs: 1_000, checkMs: 15_000, awayMs: 120_000 };

/**
 * Waits for the end of a run, by its events; while there are none it asks.
 * @returns the run as it ended.
 * @throws SpandrelError when the server refuses, or does not answer for two minutes: the run may go on without anybody
 *   who watches.
 */
export async function watchRun(api: Api, runId: string, options: WatchOptions): Promise<EvalRunSummary> {
  const { onProgress, signal, times = TIMES } = options;
  const ended = new AbortController();
  const news = new News(api, runId, AbortSignal.any([signal, ended.signal]), times, onProgress);
  let answeredAt = performance.now();
  try {
    for (;;) {
      const run = await readRun(api, runId, signal, () => performance.now() - answeredAt < times.awayMs);
      if (run !== undefined) {
        answeredAt = performance.now();
        onProgress({ done: run.sample_progress, total: run.sample_total, failed: run.failed_samples });
        if (isOver(run)) return run;
      }
      await news.next();
      signal.throwIfAborted();
    }
  } finally {
    ended.abort();
  }
}

const isOver = ({ status }: Pick<EvalRunSummary, 'status'>): boolean => status !== 'pending' && status !== 'running';

/** @returns `undefined` when the server did not answer, and may be waited for. */
async function readRun(
  api: Api,
  runId: string,
  signal: AbortSignal,
  mayBeAway: () => boolean,
): Promise<EvalRunSummary | undefined> {
  try {
    return await api.getEval({ path: { id: runId }, query: { items: 'none' }, signal, retry: false });
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof SpandrelError && isPassing(error) && mayBeAway()) return undefined;
    throw error;
  }
}

const isPassing = ({ status }: SpandrelError): boolean => status === 0 || status === 429 || status >= 500;

/** The stream of a run's events in the background, opened again when it breaks. */
class News {
  private isOpen = false;
  private hasNews = false;
  private wake: () => void = () => {};

  constructor(
    private readonly api: Api,
    private readonly runId: string,
    private readonly signal: AbortSignal,
    private readonly times: Times,
    private readonly onProgress: (progress: Progress) => void,
  ) {
    signal.addEventListener('abort', () => this.tell(), { once: true });
    void this.follow();
  }

  /** Waits until the run is to be asked again. */
  async next(): Promise<void> {
    if (!this.hasNews) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, this.isOpen ? this.times.checkMs : this.times.pollMs);
        this.wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.hasNews = false;
  }

  private tell(): void {
    this.hasNews = true;
    this.wake();
  }

  private async follow(): Promise<void> {
    while (!this.signal.aborted) {
      try {
        const events = await openRunEvents(this.api, this.runId, this.signal);
        this.isOpen = true;
        // What happened before the stream was open is not on it.
        this.tell();
        for await (const event of events) this.take(event);
      } catch {
        // Whoever waits asks the run itself, and hears there what is wrong with the server.
      }
      this.isOpen = false;
      await delay(this.times.pollMs, undefined, { signal: this.signal }).catch(() => {});
      this.tell();
    }
  }

  private take(event: RunEvent): void {
    if (event.type !== 'eval_progress') this.tell();
    else this.onProgress({ done: event.sample_progress, total: event.sample_total });
  }
}
