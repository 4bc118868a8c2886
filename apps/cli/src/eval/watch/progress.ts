import type { CommandIo, OutputStream } from '../../client/command-io.js';
import { oneLine } from '../../client/output/clean-text.js';
import { cutText } from '../../client/output/cut-text.js';

/** How far a run is. */
export interface Progress {
  /** Samples that are processed. */
  done: number;
  total: number;
  failed?: number;
}

/** Shows how far something is. */
export interface ProgressLine {
  show(progress: Progress): void;
  /** Takes away what is not meant to stay. */
  end(): void;
}

const TENTHS = 10;
const BAR_CELLS = 30;
const REDRAW_MS = 100;
const CLEAR_LINE = '\r\u001b[2K';

/**
 * Progress on standard error: a bar that is drawn anew on a terminal, elsewhere a line for each tenth.
 * @param name of what it is; anybody's text.
 */
export function progressOn({ stderr, env }: Pick<CommandIo, 'stderr' | 'env'>, name: string): ProgressLine {
  const label = oneLine(name);
  return stderr.isTTY === true && env['TERM'] !== 'dumb' ? new Bar(stderr, label) : new Tenths(stderr, label);
}

/** A line for each tenth that is complete. */
class Tenths implements ProgressLine {
  private told = 0;

  constructor(
    private readonly output: OutputStream,
    private readonly label: string,
  ) {}

  show(progress: Progress): void {
    const tenth = progress.total === 0 ? 0 : Math.floor((progress.done * TENTHS) / progress.total);
    if (tenth <= this.told) return;
    this.told = tenth;
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
