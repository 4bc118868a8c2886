import { appendFileSync } from 'node:fs';
import type { Query } from './row-shape.js';
import type { Dialect } from './sql.js';

/** Set by the test command: production code is not to pay for what tests have shown. */
const CHECKED = process.env['SPANDREL_CHECK_ROWS'] === '1';
/** A file of the test command, for `scripts/check-statements.mjs`: which statements have returned rows of their shapes. */
const ANSWERED = process.env['SPANDREL_ANSWERED_QUERIES'];

const answered = new Set<string>();

/**
 * Rows of a query: the one place where their type is asserted, and checked with `SPANDREL_CHECK_ROWS=1`.
 * @throws Error for a row that differs.
 */
export function checkedRows<Row>({ shape, template }: Query<Row>, rows: readonly unknown[], dialect: Dialect): Row[] {
  if (CHECKED) {
    for (const row of rows as readonly Record<string, unknown>[]) {
      const fault = shape.faultOf(row);
      if (fault !== undefined) throw new Error(`${fault}: ${template}`);
    }
    if (rows.length > 0) noteAnswered(template, dialect);
  }
  return rows as Row[];
}

function noteAnswered(template: string, dialect: Dialect): void {
  const line = JSON.stringify([dialect, template]);
  if (ANSWERED === undefined || answered.has(line)) return;
  answered.add(line);
  appendFileSync(ANSWERED, `${line}\n`);
}
