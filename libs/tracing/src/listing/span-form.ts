import type { Scope } from '@spandrel/kernel';
import type { LongReadOptions } from '@spandrel/storage';
import type { StoredSpan } from '../span.entity.js';

/** The form in which a list hands out its spans: whole, or without their texts. */
export interface SpanForm<Row> {
  /** Rows in the order of their ids: as many from the first on as fit into memory together. */
  load(scope: Scope, ids: readonly string[], options: LongReadOptions): Promise<Row[]>;
  /** The row of a span that was read whole, to be searched for text. */
  ofWhole(span: StoredSpan): Row;
  /** Text that a row keeps in memory, in UTF-16 units. */
  textLength(row: Row): number;
}
