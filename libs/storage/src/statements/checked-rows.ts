import type { Query } from './row-shape.js';
import type { Dialect } from './sql.js';

/** Set by the test command: production code is not to pay for what tests have shown. */
const CHECKED = process.env['SPANDREL_CHECK_ROWS'] === '1';

const answered: Record<Dialect, Set<string>> = { sqlite: new Set(), postgres: new Set() };

/**
 * Rows that a database answered a query with. The one place where their type is asserted; with `SPANDREL_CHECK_ROWS=1`
 * each is compared with the query's shape.
 * @throws Error for a row that differs.
 */
export function checkedRows<Row>({ shape, template }: Query<Row>, rows: readonly unknown[], dialect: Dialect): Row[] {
  if (CHECKED) {
    for (const row of rows as readonly Record<string, unknown>[]) {
      const fault = shape.faultOf(row);
      if (fault !== undefined) throw new Error(`${fault}: ${template}`);
    }
    if (rows.length > 0) answered[dialect].add(template);
  }
  return rows as Row[];
}

/** Templates of the queries that have returned rows of their shapes in this process; empty unless rows are checked. */
export const answeredQueries = (dialect: Dialect): ReadonlySet<string> => answered[dialect];
