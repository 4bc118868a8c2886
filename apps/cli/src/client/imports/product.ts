import type { ExportFiles } from './export-files.js';
import type { Intake, Place } from './intake.js';

/** Reads the export of another product. */
export interface Product {
  /** Puts files into the order in which they are read, and leaves out those that hold nothing to take. */
  arrange?(found: ExportFiles): void;
  /** Whether a record is one of this product. */
  knows(record: unknown): boolean;
  /** Takes a record that it knows; what cannot be taken of it is left out. */
  take(record: unknown, place: Place, intake: Intake): Promise<void>;
  /** Takes what could not be said before all records were read. */
  finish?(intake: Intake): Promise<void>;
}
