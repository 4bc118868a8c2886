/** Which columns a list has, in order: the text `started_at,name,status` of the parameter `cols`. */
export type ColumnChoice = readonly string[];

/** Columns that a list can have. */
export interface OfferedColumns {
  /** Every column. */
  all: readonly string[];
  /** The columns it has when nobody chose. */
  usual: ColumnChoice;
}

/** Reads a choice; unknown and repeated columns are left out. @returns `undefined` where none is left. */
export function readColumns(text: unknown, { all }: OfferedColumns): ColumnChoice | undefined {
  if (typeof text !== 'string') return undefined;
  const columns = [...new Set(text.split(','))].filter((id) => all.includes(id));
  return columns.length === 0 ? undefined : columns;
}

/** The text of a choice; `undefined` for the usual one, which needs none. */
export function writeColumns(columns: ColumnChoice, { usual }: OfferedColumns): string | undefined {
  const text = columns.join(',');
  return text === usual.join(',') ? undefined : text;
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
