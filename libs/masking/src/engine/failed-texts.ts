import type { Logger } from '@spandrel/kernel/launch';

/** The least time between two lines about one masker, in milliseconds. */
const PAUSE_MS = 60_000;

/** Counts texts that were masked as a whole, with a line a minute at most in the log, which has nothing of the text. */
export class FailedTexts {
  private readonly since = new Map<string, { texts: number; silentUntil: number }>();

  /**
   * @param count counts a text.
   * @param tick the clock between lines, in milliseconds.
   */
  constructor(
    private readonly logger: Logger,
    private readonly count: (masker: string) => void,
    private readonly tick = (): number => performance.now(),
  ) {}

  note(masker: string): void {
    this.count(masker);
    const now = this.tick();
    const state = this.since.get(masker) ?? { texts: 0, silentUntil: -Infinity };
    this.since.set(masker, state);
    state.texts++;
    if (now < state.silentUntil) return;
    this.logger.warn(
      { masker, texts: state.texts },
      'a masker failed, so texts are masked as a whole: it threw, took longer than a second, or its rule cannot be kept here',
    );
    state.silentUntil = now + PAUSE_MS;
    state.texts = 0;
  }
}
