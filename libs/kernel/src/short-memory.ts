/** Answers of a moment ago: each is asked for once, and shown again until it is too old. */
export class ShortMemory<Answer> {
  private readonly answers = new Map<string, { answer: Answer | Promise<Answer>; askedAt: number }>();

  /** @param shownMs how long an answer is shown, from when it was asked for. @param entriesMax beyond it the oldest go. */
  constructor(
    private readonly shownMs: number,
    private readonly entriesMax: number,
  ) {}

  /** @param ask finds it out; when that fails, the next one asks again. @returns a promise while that is under way. */
  get(key: string, ask: () => Promise<Answer>): Answer | Promise<Answer> {
    const now = performance.now();
    const kept = this.answers.get(key);
    if (kept && now - kept.askedAt < this.shownMs) return kept.answer;
    const asked = ask();
    const entry: { answer: Answer | Promise<Answer>; askedAt: number } = { answer: asked, askedAt: now };
    // Behind all others, which were asked for before.
    this.answers.delete(key);
    this.answers.set(key, entry);
    asked.then(
      (answer) => void (entry.answer = answer),
      () => this.answers.get(key) === entry && this.answers.delete(key),
    );
    this.dropOldest(now);
    return asked;
  }

  /** Forgets one answer, as {@link clear} does. */
  forget(key: string): void {
    this.answers.delete(key);
  }

  /** Forgets everything; what is being found out now is answered to those who wait for it, and kept for nobody else. */
  clear(): void {
    this.answers.clear();
  }

  get size(): number {
    return this.answers.size;
  }

  private dropOldest(now: number): void {
    for (const [key, { askedAt }] of this.answers) {
      if (this.answers.size <= this.entriesMax && now - askedAt < this.shownMs) return;
      this.answers.delete(key);
    }
  }
}
