/** The first rows of a file, as a table. */
export interface FilePreview {
  columns: readonly string[];
  rows: readonly (readonly string[])[];
  /** How many rows the whole file has, by the length of the first ones. */
  expectedRows: number;
}

const ROWS_MAX = 5;
const COLUMNS_MAX = 8;
/** Bytes of a file that are looked at. */
export const LOOKED_AT = 256 * 1_024;

/** The first rows of a file, read leniently; `null` where nothing can be shown. @param head its beginning. */
export function previewFile(name: string, head: string, size: number): FilePreview | null {
  const isWhole = size <= LOOKED_AT;
  const text = head.replace(/^\ufeff/, '');
  const rows = /\.csv$/i.test(name) ? csvRows(text, isWhole) : jsonRows(text, isWhole);
  const columns = [...new Set(rows.slice(0, ROWS_MAX).flatMap((row) => Object.keys(row)))].slice(0, COLUMNS_MAX);
  if (columns.length === 0) return null;
  return {
    columns,
    rows: rows.slice(0, ROWS_MAX).map((row) => columns.map((column) => row[column] ?? '')),
    expectedRows: isWhole ? rows.length : Math.ceil((rows.length * size) / LOOKED_AT),
  };
}

type Row = Record<string, string>;

/** Rows of a list, or of one object a line. */
function jsonRows(text: string, isWhole: boolean): Row[] {
  if (text.trimStart().startsWith('[')) {
    const list = isWhole ? parse(text) : undefined;
    return Array.isArray(list) ? list.flatMap(asRow) : [];
  }
  return wholeLines(text, isWhole).flatMap((line) => asRow(parse(line)));
}

function csvRows(text: string, isWhole: boolean): Row[] {
  const [header, ...records] = readCsv(text, isWhole);
  if (header === undefined) return [];
  return records.map((cells) => Object.fromEntries(header.map((name, at) => [name, cells[at] ?? ''])));
}

/** Records of a CSV text (RFC 4180). The last one is left out where the text goes on. */
function readCsv(text: string, isWhole: boolean): string[][] {
  const records: string[][] = [];
  let record: string[] = [];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^,\r\n]*))(,|\r\n|\n|\r|$)/g)) {
    const isNothing = quoted === undefined && plain === '';
    if (end === '' && isNothing && record.length === 0) break;
    record.push(quoted?.replaceAll('""', '"') ?? plain ?? '');
    if (end === ',') continue;
    if ((end !== '' || isWhole) && !(record.length === 1 && record[0] === '')) records.push(record);
    record = [];
    if (end === '') break;
  }
  return records;
}

function wholeLines(text: string, isWhole: boolean): string[] {
  const lines = text.split('\n');
  return (isWhole ? lines : lines.slice(0, -1)).filter((line) => line.trim() !== '');
}

function asRow(value: unknown): Row[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  return [Object.fromEntries(Object.entries(value).map(([name, member]) => [name, asCell(member)]))];
}

const asCell = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
