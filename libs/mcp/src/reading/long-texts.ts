import type { WholeText } from '../answers/text-piece.js';

/** A text shorter than this is read again for each piece: that costs less than remembering it is worth. */
export const LONG_TEXT_CHARS = 200_000;

/** UTF-16 units that are remembered at once. */
const CHARS_MAX = 32 * 1_048_576;

/** Milliseconds for which a text is remembered that nobody reads on. */
const IDLE_MS = 60_000;

interface Remembered {
  stamp: string;
  text: WholeText;
  usedAt: number;
}

/**
 * Texts of spans that are being read piece by piece: reading and parsing 10 MB takes a tenth of a second, and an agent asks
 * for a hundred pieces of them. A text is given back only to who was just shown, by the API, that the span is there and as it was.
 */
export class LongTexts {
  private readonly byKey = new Map<string, Remembered>();
  private chars = 0;
  private sweep: NodeJS.Timeout | undefined;

  /** @param now milliseconds, monotonic. */
  constructor(private readonly now: () => number = () => performance.now()) {}

  /**
   * Finds a text.
   * @param key of project, span and field.
   * @param stamp how the span looks now; a text of a span that looked otherwise is forgotten.
   */
  find(key: string, stamp: string): WholeText | undefined {
    this.forgetIdle();
    const found = this.byKey.get(key);
    if (!found) return undefined;
    this.forget(key);
    if (found.stamp !== stamp) return undefined;
    this.remember(key, stamp, found.text);
    return found.text;
  }

  /** Keeps a text that is long enough, in place of those that were not asked for the longest. */
  keep(key: string, stamp: string, text: WholeText): void {
    this.forget(key);
    if (text.text.length < LONG_TEXT_CHARS || text.text.length > CHARS_MAX) return;
    this.remember(key, stamp, text);
    for (const [oldest] of this.byKey) {
      if (this.chars <= CHARS_MAX) break;
      this.forget(oldest);
    }
  }

  private remember(key: string, stamp: string, text: WholeText): void {
    this.byKey.set(key, { stamp, text, usedAt: this.now() });
    this.chars += text.text.length;
    this.sweep ??= setInterval(() => this.forgetIdle(), IDLE_MS).unref();
  }

  private forget(key: string): void {
    const found = this.byKey.get(key);
    if (!found) return;
    this.byKey.delete(key);
    this.chars -= found.text.text.length;
  }

  private forgetIdle(): void {
    const before = this.now() - IDLE_MS;
    for (const [key, { usedAt }] of this.byKey) if (usedAt < before) this.forget(key);
    if (this.byKey.size > 0) return;
    clearInterval(this.sweep);
    this.sweep = undefined;
  }
}
