import type { Named } from '@spandrel/kernel';
import type { Dialect, OtelSpan, SpanReading } from '@spandrel/plugin-api';
import { ClaimTable } from './claim-table.js';
import { addReading, emptyReading } from './reading-members.js';

/** Hears of a dialect that threw over a span, by its name. */
export type OnDialectError = (dialect: string, error: unknown) => void;

/**
 * Reads spans with all dialects that claim them and merges what they say: member by member, the first in the order of
 * config that has a value wins (docs/spec/otlp.md#how-readings-are-merged).
 */
export class DialectReader {
  private readonly claims: ClaimTable;

  constructor(
    private readonly dialects: readonly Named<Dialect>[],
    private readonly onError: OnDialectError,
  ) {
    this.claims = new ClaimTable(dialects.map(({ extension }) => extension));
  }

  /** @returns what is known of the span; values of odd types are left out. Never throws. */
  read(span: OtelSpan): SpanReading {
    const merged = emptyReading();
    for (const place of this.claims.claimants(span)) this.add(merged, this.dialects[place]!, span);
    return merged;
  }

  private add(merged: SpanReading, { name, extension }: Named<Dialect>, span: OtelSpan): void {
    try {
      const reading = extension.read(span);
      if (typeof reading !== 'object' || reading === null) return;
      addReading(merged, reading);
    } catch (error) {
      this.onError(name, error);
    }
  }
}
