import { styleText } from 'node:util';
import type { CommandIo, OutputStream } from '../command-io.js';
import { oneLine, cutText, padText, measureWidth } from './text.js';

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

/** Gives a text its style, or leaves it as it is where colours are not wanted. */
export type Paint = (text: string, style: Style | undefined) => string;

/** @returns paint for a stream: of a terminal alone, and not with `NO_COLOR` (https://no-color.org). */
export const paintFor = (stream: OutputStream, env: CommandIo['env']): Paint =>
  hasColours(stream, env) ? painted : plain;

const painted: Paint = (text, style) =>
  style === undefined || text === '' ? text : styleText(style, text, { validateStream: false });

const plain: Paint = (text) => text;

function hasColours(stream: OutputStream, env: CommandIo['env']): boolean {
  return stream.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
}

const STYLES: Readonly<Record<string, Style>> = { failed: 'red', running: 'yellow', completed: 'green' };

/** @returns the colour of a status of a span, a trace or a run. */
export const statusStyle = (status: string): Style | undefined => STYLES[status];

export interface Column<Row> {
  title: string;
  /** What it shows of a row; control characters are taken care of. Nothing is an empty text. */
  text: (row: Row) => string;
  align?: 'right';
  style?: (row: Row) => Style | undefined;
  /** Whether blanks in front are part of the text. */
  isTree?: boolean;
  /** Whether its texts may be cut on a narrow terminal; others are whole or left out. */
  shrinks?: boolean;
  /** Columns are left out where the terminal is too narrow, that with the highest number first; never without a number. */
  leaveOut?: number;
}

interface TableRoom {
  /** Columns of the terminal; `undefined`: as wide as it is, nothing is cut. */
  width?: number | undefined;
  paint?: Paint;
}

const GAP = '  ';
const NARROWEST = 8;

interface Laid<Row> {
  column: Column<Row>;
  width: number;
}

/** Lays out rows that come in pages: the first page says how wide the columns are. */
export class Table<Row> {
  private laid: readonly Laid<Row>[] | undefined;

  constructor(
    private readonly columns: readonly Column<Row>[],
    private readonly room: TableRoom = {},
  ) {}

  /** @returns the lines of some rows, behind the line of titles where they are the first. */
  lines(rows: readonly Row[]): string[] {
    const first = this.laid === undefined;
    this.laid ??= fitted(
      this.columns.map((column) => measured(column, rows)),
      this.room.width,
    );
    const { paint = plain } = this.room;
    const titles = this.laid.map(({ column, width }) => paint(this.fit(column.title, column, width), 'bold'));
    const lines = rows.map((row) =>
      this.laid!.map(({ column, width }) =>
        paint(this.fit(renderCell(column, row), column, width), column.style?.(row)),
      ),
    );
    return (first ? [titles, ...lines] : lines).map((cells) => cells.join(GAP).trimEnd());
  }

  private fit(text: string, { align, shrinks }: Column<Row>, width: number): string {
    const isCut = this.room.width !== undefined && shrinks === true;
    return padText(isCut ? cutText(text, width) : text, width, align);
  }
}

function measured<Row>(column: Column<Row>, rows: readonly Row[]): Laid<Row> {
  const widths = rows.map((row) => measureWidth(renderCell(column, row)));
  return { column, width: widths.reduce((most, width) => Math.max(most, width), measureWidth(column.title)) };
}

function renderCell<Row>({ text, isTree }: Column<Row>, row: Row): string {
  const whole = text(row);
  if (isTree !== true) return oneLine(whole);
  const [blanks = ''] = /^[ │├└─]*/.exec(whole) ?? [];
  return blanks + oneLine(whole.slice(blanks.length));
}

/** Cuts the widest columns that may be cut, and leaves others out while there is no room for all. */
function fitted<Row>(all: readonly Laid<Row>[], room: number | undefined): readonly Laid<Row>[] {
  if (room === undefined) return all;
  let laid = all;
  while (narrowest(laid) > room) {
    const next = laid.reduce<Laid<Row> | undefined>(
      (found, each) => ((each.column.leaveOut ?? 0) > (found?.column.leaveOut ?? 0) ? each : found),
      undefined,
    );
    if (next === undefined) break;
    laid = laid.filter((each) => each !== next);
  }
  let excess = widthTogether(laid, ({ width }) => width) - room;
  const widths = new Map(laid.map((each) => [each, each.width]));
  while (excess > 0) {
    const [widest] = laid
      .filter((each) => each.column.shrinks === true && widths.get(each)! > NARROWEST)
      .toSorted((one, other) => widths.get(other)! - widths.get(one)!);
    if (widest === undefined) break;
    widths.set(widest, widths.get(widest)! - 1);
    excess--;
  }
  return laid.map((each) => ({ ...each, width: widths.get(each)! }));
}

const narrowest = <Row>(laid: readonly Laid<Row>[]): number =>
  widthTogether(laid, ({ column, width }) => (column.shrinks === true ? Math.min(width, NARROWEST) : width));

const widthTogether = <Row>(laid: readonly Laid<Row>[], width: (of: Laid<Row>) => number): number =>
  laid.reduce((sum, each) => sum + width(each), GAP.length * Math.max(0, laid.length - 1));

/** A name and what it is; facts without a text are left out. */
export type Fact = readonly [name: string, text: string | null | undefined];

/** @returns a line a fact, the texts below each other. */
export function factLines(facts: readonly Fact[], paint: Paint): string[] {
  const known = facts.filter(([, text]) => text !== null && text !== undefined && text !== '');
  const width = Math.max(0, ...known.map(([name]) => name.length));
  return known.map(([name, text]) => `${paint(name.padEnd(width), 'bold')}  ${oneLine(text!)}`);
}
