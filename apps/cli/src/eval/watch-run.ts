import { setTimeout as delay } from 'node:timers/promises';
import type { EvalRunSummary } from '@spandrel/contract';
import { SpandrelError, type Api } from '@spandrel/sdk';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import type { CommandIo, OutputStream } from '../client/command-io.js';
import { oneLine, cutText } from '../client/output/text.js';

type RunEvent =
  | { type: 'eval_progress'; run_id: string; sample_progress: number; sample_total: number }
  | { type: 'eval_started' | 'eval_completed' | 'eval_failed' | 'eval_cancelled'; run_id: string };

const TYPES = 'eval_started,eval_progress,eval_completed,eval_failed,eval_cancelled';

export interface Progress {
  done: number;
  total: number;
  failed?: number;
}

interface ProgressLine {
  show(progress: Progress): void;
  /** Takes away what is not meant to stay. */
  end(): void;
}

const TENTHS = 10;
const BAR_CELLS = 30;
const REDRAW_MS = 100;
const CLEAR_LINE = '\r\u001b[2K';

/** Progress on standard error: a bar on a terminal, elsewhere a line for each tenth. @param name anybody's text. */
export function progressOn({ stderr, env }: Pick<CommandIo, 'stderr' | 'env'>, name: string): ProgressLine {
  const label = oneLine(name);
  return stderr.isTTY === true && env['TERM'] !== 'dumb' ? drawBar(stderr, label) : reportTenths(stderr, label);
}

function reportTenths(output: OutputStream, label: string): ProgressLine {
  let reported = 0;
  return {
    show(progress) {
      const tenth = progress.total === 0 ? 0 : Math.floor((progress.done * TENTHS) / progress.total);
      if (tenth <= reported) return;
      reported = tenth;
      output.write(`${label}: ${tenth * TENTHS}% (${countsOf(progress)})\n`);
    },
    end: () => {},
  };
}

function drawBar(output: OutputStream, label: string): ProgressLine {
  let drawnAt = -Infinity;
  let isDrawn = false;
  return {
    show(progress) {
      const { done, total } = progress;
      const now = performance.now();
      if (now - drawnAt < REDRAW_MS && done < total) return;
      drawnAt = now;
      isDrawn = true;
      const filled = total === 0 ? 0 : Math.round((Math.min(done, total) / total) * BAR_CELLS);
      const bar = '█'.repeat(filled) + '░'.repeat(BAR_CELLS - filled);
      output.write(CLEAR_LINE + cutText(`${bar} ${countsOf(progress)}  ${label}`, (output.columns ?? 80) - 1));
    },
    end() {
      if (isDrawn) output.write(CLEAR_LINE);
      isDrawn = false;
    },
  };
}

const countsOf = ({ done, total, failed = 0 }: Progress): string =>
  `${done} of ${total} ${total === 1 ? 'sample' : 'samples'}${failed > 0 ? `, ${failed} failed` : ''}`;

interface WatchOptions {
  onProgress: (progress: Progress) => void;
  /** Ends the watching: its reason is thrown. The run goes on. */
  signal: AbortSignal;
  /** How often it is asked without events and with them, and how long a server may be away. */
  times?: { pollMs: number; checkMs: number; awayMs: number };
}

/** While events come the run is asked now and then all the same: a connection may be dead without a word. */
const TIMES = { pollMs: 1_000, checkMs: 15_000, awayMs: 120_000 };

/** @returns the run as it ended. @throws SpandrelError when the server refuses, or does not answer for two minutes. */
export async function watchRun(api: Api, runId: string, options: WatchOptions): Promise<EvalRunSummary> {
  const { onProgress, signal, times = TIMES } = options;
  const ended = new AbortController();
  const changes = followChanges(api, runId, AbortSignal.any([signal, ended.signal]), times, onProgress);
  let answeredAt = performance.now();
  try {
    for (;;) {
      try {
        const run = await api.getEval({ path: { id: runId }, query: { items: 'none' }, signal, retry: false });
        answeredAt = performance.now();
        onProgress({ done: run.sample_progress, total: run.sample_total, failed: run.failed_samples });
        if (run.status !== 'pending' && run.status !== 'running') return run;
      } catch (error) {
        signal.throwIfAborted();
        if (!isPassing(error) || performance.now() - answeredAt >= times.awayMs) throw error;
      }
      await changes.next();
      signal.throwIfAborted();
    }
  } finally {
    ended.abort();
  }
}

const isPassing = (error: unknown): boolean =>
  error instanceof SpandrelError && (error.status === 0 || error.status === 429 || error.status >= 500);

/** Follows a run's events in the background. @returns waits until the run is to be asked again. */
function followChanges(
  api: Api,
  runId: string,
  signal: AbortSignal,
  times: typeof TIMES,
  onProgress: WatchOptions['onProgress'],
): { next(): Promise<void> } {
  let isOpen = false;
  let hasChanged = false;
  let wake = (): void => {};
  const notify = (): void => {
    hasChanged = true;
    wake();
  };
  const readStream = async (): Promise<void> => {
    const answer = await api.raw('GET', '/api/events', { query: { types: TYPES }, signal, retry: false });
    isOpen = true;
    // What happened before the stream was open is not on it.
    notify();
    const messages = answer.body!.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
    for await (const { data } of messages) {
      const event = JSON.parse(data) as RunEvent;
      if (event.run_id !== runId) continue;
      if (event.type !== 'eval_progress') notify();
      else onProgress({ done: event.sample_progress, total: event.sample_total });
    }
  };
  const follow = async (): Promise<void> => {
    while (!signal.aborted) {
      // Anyone who waits asks the run itself, and hears there what is wrong with the server.
      await readStream().catch(() => {});
      isOpen = false;
      await delay(times.pollMs, undefined, { signal }).catch(() => {});
      notify();
    }
  };
  signal.addEventListener('abort', notify, { once: true });
  void follow();
  return {
    async next() {
      if (!hasChanged) {
        const { promise, resolve } = Promise.withResolvers<void>();
        const timer = setTimeout(resolve, isOpen ? times.checkMs : times.pollMs);
        wake = resolve;
        await promise;
        clearTimeout(timer);
      }
      hasChanged = false;
    },
  };
}
