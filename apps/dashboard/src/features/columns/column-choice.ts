/** Which columns a list has, in order: the text `started_at,name:240,status` of the parameter `cols`, widths behind colons. */
export type ColumnChoice = readonly string[];

/** Pixels of columns that somebody made wider or narrower, by their ids. */
export type ColumnWidths = Readonly<Record<string, number>>;

/** Bounds of the width of a column, in pixels. */
export const COLUMN_WIDTH = { min: 48, max: 800 } as const;

export interface OfferedColumns {
  all: readonly string[];
  /** The columns it has when nobody chose. */
  usual: ColumnChoice;
}

/** What the button `Columns` is given. */
export interface ColumnsPanelProps {
  offered: OfferedColumns;
  chosen: ColumnChoice;
  /** Header of a column by its id. */
  nameOf(id: string): string;
  /** Pixels of a column. */
  widthOf(id: string): number;
  onChange(columns: ColumnChoice): void;
  onResize(id: string, width: number): void;
  onReset(): void;
}

/** Reads a choice; unknown and repeated columns are left out. @returns `undefined` where none is left. */
export function readColumns(text: unknown, { all }: OfferedColumns): ColumnChoice | undefined {
  if (typeof text !== 'string') return undefined;
  const columns = [...new Set(partsOf(text).map(({ id }) => id))].filter((id) => all.includes(id));
  return columns.length === 0 ? undefined : columns;
}

/** Characters of texts that lists ask the API for: more than a row shows in a wide window, so that its end says that it is cut. */
export const PREVIEW = 300;

/** What the API is asked for beside the rows, where its column is shown. @param cols the text of a choice. */
export function includedIn<Column extends string>(cols = '', columns: readonly Column[]): { include?: Column[] } {
  const include = columns.filter((column) => partsOf(cols).some(({ id }) => id === column));
  return include.length === 0 ? {} : { include };
}

/** The widths in the text of a choice; what is no width is left out. */
export function readWidths(text: unknown): ColumnWidths {
  if (typeof text !== 'string') return {};
  return Object.fromEntries(
    partsOf(text)
      .map(({ id, width }) => [id, Number(width)] as const)
      .filter(([, width]) => width >= COLUMN_WIDTH.min && width <= COLUMN_WIDTH.max),
  );
}

/** The text of a choice; `undefined` for the usual one, which needs none. */
export function writeColumns(
  columns: ColumnChoice,
  widths: ColumnWidths,
  { usual }: OfferedColumns,
): string | undefined {
  const text = columns.map((id) => (widths[id] === undefined ? id : `${id}:${widths[id]}`)).join(',');
  return text === usual.join(',') ? undefined : text;
}

/** A width within its bounds, in whole pixels. */
export function boundWidth(width: number): number {
  return Math.round(Math.min(Math.max(width, COLUMN_WIDTH.min), COLUMN_WIDTH.max));
}

function partsOf(text: string): { id: string; width: string | undefined }[] {
  return text.split(',').map((part) => {
    const [id = '', width] = part.split(':');
    return { id, width };
  });
}

/** With or without a column; a new one comes last, and the last one stays. */
export function toggleColumn(columns: ColumnChoice, id: string): ColumnChoice {
  if (!columns.includes(id)) return [...columns, id];
  return columns.length === 1 ? columns : columns.filter((other) => other !== id);
}

/** A column moved by some places, as far as there are. */
export function moveColumn(columns: ColumnChoice, id: string, by: number): ColumnChoice {
  const from = columns.indexOf(id);
  if (from === -1) return columns;
  const others = columns.filter((other) => other !== id);
  const to = Math.min(Math.max(from + by, 0), others.length);
  return [...others.slice(0, to), id, ...others.slice(to)];
}

/** Chosen columns in their order, then the others, as the panel lists them. */
export function listedColumns(columns: ColumnChoice, { all }: OfferedColumns): readonly string[] {
  return [...columns, ...all.filter((id) => !columns.includes(id))];
}
