import { setTimeout as delay } from 'node:timers/promises';
import type { EvalRunSummary } from '@spandrel/contract';
import { SpandrelError, type Api } from '@spandrel/sdk';
import { mayPass } from '@spandrel/sdk/api';
import type { CommandIo, OutputStream } from '../client/command-io.js';
import { oneLine, cutText } from '../client/output/text.js';

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
  /** How often the run is asked at most, and how long a server may be away. */
  times?: { pollMs: number; awayMs: number };
}

const TIMES = { pollMs: 1_000, awayMs: 120_000 };
/** A short run is not waited for a whole second: the first pauses are shorter, each twice the one before. */
const FIRST_PAUSE_MS = 100;

/** @returns the run as it ended. @throws SpandrelError when the server refuses, or does not answer for two minutes. */
export async function watchRun(api: Api, runId: string, options: WatchOptions): Promise<EvalRunSummary> {
  const { onProgress, signal, times = TIMES } = options;
  let answeredAt = performance.now();
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs *= 2) {
    try {
      const run = await api.getEval({ path: { id: runId }, query: { items: 'none' }, signal, retry: false });
      answeredAt = performance.now();
      onProgress({ done: run.sample_progress, total: run.sample_total, failed: run.failed_samples });
      if (run.status !== 'pending' && run.status !== 'running') return run;
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof SpandrelError && mayPass(error)) || performance.now() - answeredAt >= times.awayMs)
        throw error;
    }
    await delay(Math.min(pauseMs, times.pollMs), undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}
