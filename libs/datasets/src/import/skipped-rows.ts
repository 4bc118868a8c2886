import type { DatapointKind, ImportResult } from '@spandrel/contract';
import { FileFault } from '@spandrel/uploads';
import { datapointOfRow, RowFault } from './datapoint-of-row.js';
import type { ImportedColumns } from './imported-columns.js';
import type { SourceRow } from './source-row.js';

/** Rows left out that an answer lists. */
const LISTED_MAX = 1_000;

/** What an import with `on_error=skip` leaves out (docs/spec/import-export.md#bad-rows). */
export class SkippedRows {
  private readonly listed: { line: number; message: string }[] = [];
  private count = 0;
  private countOfUnknownNames = 0;

  /** @param valuesMax values that a row may have. */
  constructor(private readonly valuesMax: number) {}

  /** What a row becomes; `undefined`, noted, when it becomes nothing. */
  kindOf(row: SourceRow, columns: ImportedColumns): DatapointKind | undefined {
    try {
      return datapointOfRow(row, this.valuesMax, columns);
    } catch (error) {
      if (!(error instanceof RowFault)) throw error;
      this.count++;
      if (error.hasUnknownNames) this.countOfUnknownNames++;
      if (this.listed.length < LISTED_MAX) this.listed.push({ line: row.line, message: error.message });
      return undefined;
    }
  }

  /** @throws FileFault when every row was left out because it has no name that an import knows: it is another file. */
  assertKnownNames(): void {
    const [first] = this.listed;
    if (first && this.count === this.countOfUnknownNames) throw new FileFault(first.line, first.message);
  }

  /** The members of the answer that say which rows were skipped. */
  answer(): Pick<ImportResult, 'skipped' | 'skipped_count'> {
    return { skipped: this.listed, skipped_count: this.count };
  }
}
