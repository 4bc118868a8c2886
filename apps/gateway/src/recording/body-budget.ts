/** What all body buffers together hold. */
export class BodyBudget {
  used = 0;

  constructor(readonly max: number) {}

  /** Whether so many bytes more may be held. */
  fits(bytes: number): boolean {
    return this.used + bytes <= this.max;
  }
}
