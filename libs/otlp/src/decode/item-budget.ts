import { ExportFault } from './export-fault.js';

/**
 * Counts what an export holds: spans, attributes, events, links and elements of lists together. An export of few bytes
 * can hold millions of empty ones.
 */
export class ItemBudget {
  private left: number;

  /** @param max setting `otlp.items_max`. */
  constructor(private readonly max: number) {
    this.left = max;
  }

  /** @throws ExportFault `too_large` when there are more than allowed. */
  take(): void {
    if (--this.left < 0) {
      throw new ExportFault(
        'too_large',
        `an export may hold at most ${this.max} spans, attributes, events, links and elements together; send it in parts`,
      );
    }
  }
}
