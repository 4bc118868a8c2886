import type { Logger } from '@spandrel/kernel';

/** The least time between two lines, in milliseconds. */
const PAUSE_MS = 60_000;

/**
 * Tells in the log that capture modes of calls were not understood: one line a minute at most, however many calls there
 * are. What the header said is in the span alone; the log holds no text of a caller's.
 */
export class CaptureWarning {
  private calls = 0;
  private silentUntil = -Infinity;

  /** @param tick the clock between lines, in milliseconds. */
  constructor(
    private readonly logger: Logger,
    private readonly tick = (): number => performance.now(),
  ) {}

  /** A call was recorded without content since its header was not understood. @param spanId of the call. */
  notUnderstood(spanId: string): void {
    this.calls++;
    const now = this.tick();
    if (now < this.silentUntil) return;
    this.logger.warn(
      { calls: this.calls, span_id: spanId },
      'X-Spandrel-Capture was not understood and counts as Off: it must be Full, Preview(N) or Off',
    );
    this.silentUntil = now + PAUSE_MS;
    this.calls = 0;
  }
}
