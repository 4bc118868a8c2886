import { appendFileSync } from 'node:fs';
import { sql, type Sql, type SqlValue, type Dialect } from './sql.js';

/** What the values of a column are. Both databases hand out integers and other numbers as numbers. */
export type Kind = 'text' | 'integer' | 'number' | 'bytes';

export interface Column<Value extends SqlValue = SqlValue> {
  readonly kind: Kind;
  readonly nullable: boolean;
  /** Carries the type alone; never set. */
  readonly value?: Value;
}

/** @typeParam Value which texts there are, where the program writes none but some. */
export const text = <Value extends string = string>(): Column<Value> => ({ kind: 'text', nullable: false });
/** Whole numbers: counts, times in milliseconds, sums of whole numbers. */
export const integer = (): Column<number> => ({ kind: 'integer', nullable: false });
export const number = (): Column<number> => ({ kind: 'number', nullable: false });
export const bytes = (): Column<Uint8Array> => ({ kind: 'bytes', nullable: false });
export const nullable = <Value extends SqlValue>({ kind }: Column<Value>): Column<Value | null> => ({
  kind,
  nullable: true,
});

export type Columns = Readonly<Record<string, Column>>;
export type RowOfColumns<Of extends Columns> = {
  [Name in keyof Of]: NonNullable<Of[Name]['value']> | NullOf<Of[Name]>;
};
type NullOf<Of extends Column> = null extends Of['value'] ? null : never;

/** A select whose rows have a known shape; made by {@link RowShape.query}. */
export interface Query<Row> extends Sql {
  readonly shape: RowShape<Row>;
  /** The text of the template, by which the statements of the program differ. */
  readonly template: string;
  readonly isPlannedOnce?: boolean;
}

/** A query of which Postgres keeps one plan for all values: about many partitions, with an index that is known. */
export const plannedOnce = <Row>(query: Query<Row>): Query<Row> => ({ ...query, isPlannedOnce: true });

/** What rows of a query look like; their type follows from it, and tests compare every row (`checked-rows.ts`). */
export class RowShape<Row> {
  constructor(readonly columns: Columns) {}

  /** A statement that returns such rows, as a template of {@link sql}. */
  query(strings: TemplateStringsArray, ...values: readonly (SqlValue | Sql)[]): Query<Row> {
    const { writeTo } = sql(strings, ...values);
    return { shape: this, template: strings.join('${}'), writeTo };
  }

  and<Other>(other: RowShape<Other>): RowShape<Row & Other> {
    return new RowShape({ ...this.columns, ...other.columns });
  }

  faultOf(row: Readonly<Record<string, unknown>>): string | undefined {
    for (const [name, column] of Object.entries(this.columns)) {
      if (!(name in row)) return `column ${name} is missing`;
      if (!isOf(column, row[name]))
        return `column ${name} is ${typeof row[name]} ${String(row[name])}, not ${nameOf(column)}`;
    }
    const unknown = Object.keys(row).find((name) => !(name in this.columns));
    return unknown === undefined ? undefined : `column ${unknown} is not in the shape`;
  }
}

export type RowOfShape<Shape> = Shape extends RowShape<infer Row> ? Row : never;

/** The shape of rows that no entity describes: what is computed, or taken from several tables. */
export const shapeOf = <Of extends Columns>(columns: Of): RowShape<RowOfColumns<Of>> => new RowShape(columns);

function isOf({ kind, nullable: mayBeNull }: Column, value: unknown): boolean {
  if (value === null) return mayBeNull;
  if (kind === 'text') return typeof value === 'string';
  if (kind === 'bytes') return value instanceof Uint8Array;
  return kind === 'integer' ? Number.isInteger(value) : typeof value === 'number';
}

const nameOf = ({ kind, nullable: mayBeNull }: Column): string => (mayBeNull ? `${kind} or null` : kind);

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
