import { setTimeout as delay } from 'node:timers/promises';
import type { EvalRunSummary } from '@spandrel/contract';
import { SpandrelError, type Api } from '@spandrel/sdk';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import type { CommandIo, OutputStream } from '../client/command-io.js';
import { oneLine, cutText } from '../client/output/text.js';

/** What happened to a run. */
type RunEvent =
  | { type: 'eval_progress'; run_id: string; sample_progress: number; sample_total: number }
  | { type: 'eval_started' | 'eval_completed' | 'eval_failed' | 'eval_cancelled'; run_id: string };

const TYPES = 'eval_started,eval_progress,eval_completed,eval_failed,eval_cancelled';

/**
 * Opens the stream of events.
 * @returns the events of one run from now on, once the server has begun to answer: what happens behind that is on it. They
 *   end when the connection does.
 * @throws SpandrelError when the stream cannot be opened.
 */
async function openRunEvents(api: Api, runId: string, signal: AbortSignal): Promise<AsyncIterable<RunEvent>> {
  const answer = await api.raw('GET', '/api/events', { query: { types: TYPES }, signal, retry: false });
  return eventsOf(answer, runId);
}

async function* eventsOf(answer: Response, runId: string): AsyncGenerator<RunEvent> {
  const messages = answer.body!.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
  for await (const { data } of messages) {
    const event = JSON.parse(data) as RunEvent;
    if (event.run_id === runId) yield event;
  }
}

/** How far a run is. */
export interface Progress {
  /** Samples that are processed. */
  done: number;
  total: number;
  failed?: number;
}

/** Shows how far something is. */
interface ProgressLine {
  show(progress: Progress): void;
  /** Takes away what is not meant to stay. */
  end(): void;
}

const TENTHS = 10;
const BAR_CELLS = 30;
const REDRAW_MS = 100;
const CLEAR_LINE = '\r\u001b[2K';

/**
 * Progress on standard error: a bar that is drawn again on a terminal, elsewhere a line for each tenth.
 * @param name of what it is; anybody's text.
 */
export function progressOn({ stderr, env }: Pick<CommandIo, 'stderr' | 'env'>, name: string): ProgressLine {
  const label = oneLine(name);
  return stderr.isTTY === true && env['TERM'] !== 'dumb' ? new Bar(stderr, label) : new Tenths(stderr, label);
}

/** A line for each tenth that is complete. */
class Tenths implements ProgressLine {
  private reported = 0;

  constructor(
    private readonly output: OutputStream,
    private readonly label: string,
  ) {}

  show(progress: Progress): void {
    const tenth = progress.total === 0 ? 0 : Math.floor((progress.done * TENTHS) / progress.total);
    if (tenth <= this.reported) return;
    this.reported = tenth;
    this.output.write(`${this.label}: ${tenth * TENTHS}% (${countsOf(progress)})\n`);
  }

  end(): void {}
}

/** A bar in one line of a terminal. */
class Bar implements ProgressLine {
  private drawnAt = -Infinity;
  private isDrawn = false;

  constructor(
    private readonly output: OutputStream,
    private readonly label: string,
  ) {}

  show(progress: Progress): void {
    const { done, total } = progress;
    const now = performance.now();
    if (now - this.drawnAt < REDRAW_MS && done < total) return;
    this.drawnAt = now;
    this.isDrawn = true;
    const filled = total === 0 ? 0 : Math.round((Math.min(done, total) / total) * BAR_CELLS);
    const bar = '█'.repeat(filled) + '░'.repeat(BAR_CELLS - filled);
    const line = `${bar} ${countsOf(progress)}  ${this.label}`;
    this.output.write(CLEAR_LINE + cutText(line, (this.output.columns ?? 80) - 1));
  }

  end(): void {
    if (this.isDrawn) this.output.write(CLEAR_LINE);
    this.isDrawn = false;
  }
}

const countsOf = ({ done, total, failed = 0 }: Progress): string =>
  `${done} of ${total} ${total === 1 ? 'sample' : 'samples'}${failed > 0 ? `, ${failed} failed` : ''}`;

interface WatchOptions {
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
    signal.addEventListener('abort', () => this.notify(), { once: true });
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

  private notify(): void {
    this.hasNews = true;
    this.wake();
  }

  private async follow(): Promise<void> {
    while (!this.signal.aborted) {
      try {
        const events = await openRunEvents(this.api, this.runId, this.signal);
        this.isOpen = true;
        // What happened before the stream was open is not on it.
        this.notify();
        for await (const event of events) this.take(event);
      } catch {
        // Anyone who waits asks the run itself, and hears there what is wrong with the server.
      }
      this.isOpen = false;
      await delay(this.times.pollMs, undefined, { signal: this.signal }).catch(() => {});
      this.notify();
    }
  }

  private take(event: RunEvent): void {
    if (event.type !== 'eval_progress') this.notify();
    else this.onProgress({ done: event.sample_progress, total: event.sample_total });
  }
}
