import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { AuditTrail } from '@spandrel/audit';
import { streamSlices, itemTexts } from '@spandrel/http';
import type { Scope } from '@spandrel/kernel';
import { Storage } from '@spandrel/storage';
import { CURRENT, DatapointStore } from '../datapoint.store.js';
import type { DatapointRow } from '../datapoint.entity.js';
import type { DatasetRow } from '../dataset.entity.js';
import { DatasetStore } from '../dataset.store.js';
import type { FileFormat } from '../import/file-format.js';
import { KIND_MEMBERS, kindTexts, type KindColumns } from '../datapoint-resource.js';

const SLICE = 1_000;

/** `GET /api/datasets/:id/export`: the datapoints of a dataset as a file. */
@Injectable()
export class ExportDataset {
  constructor(
    private readonly datasets: DatasetStore,
    private readonly datapoints: DatapointStore,
    private readonly storage: Storage,
    private readonly audit: AuditTrail,
  ) {}

  /**
   * @returns the file, read and written slice by slice, so that a dataset of any size is exported in bounded memory.
   * It is in the audit log before anything of it is sent.
   * @throws NotFound `dataset_not_found`, and what reading the first slice throws, before anything is written.
   */
  async execute(scope: Scope, datasetId: string, format: FileFormat): Promise<{ filename: string; content: Readable }> {
    const dataset = await this.datasets.get(scope, datasetId);
    const { head, rows, between, tail } = EXPORT_WRITER[format];
    const slices = this.slices(scope, datasetId, rows);
    const content = await streamSlices(slices, { head, between, tail: () => tail });
    const target = { targetId: datasetId, targetName: dataset.name };
    const details = { datapoints: dataset.datapointCount, format };
    await this.audit.recordAlone(this.storage, { action: 'dataset.exported', ...scope, ...target, details });
    return { filename: `${safeName(dataset)}.${format}`, content };
  }

  private async *slices(
    scope: Scope,
    datasetId: string,
    toTexts: (rows: readonly DatapointRow[]) => Iterable<string>,
  ): AsyncGenerator<Iterable<string>> {
    for (let afterId = ''; ;) {
      const rows = await this.datapoints.after(scope, datasetId, CURRENT, afterId, SLICE);
      const last = rows.at(-1);
      if (!last) return;
      yield toTexts(rows);
      afterId = last.id;
    }
  }
}

/** The dataset's name as every file system takes it. */
function safeName({ name, id }: DatasetRow): string {
  const safe = name.replace(/[^A-Za-z0-9_-]+/g, '-').replace(/^-+|(?<!-)-+$/g, '');
  return safe === '' ? id : safe.slice(0, 100);
}

interface ExportWriter {
  head: string;
  /** The texts of rows, made as they are taken. */
  rows(rows: readonly KindColumns[]): Iterable<string>;
  /** Text between two calls of `rows`. */
  between: string;
  tail: string;
}

const CSV_COLUMNS = ['input', 'expected_output', 'actual_output', 'score', 'metadata', 'messages'] as const;

/** The formats of an export; each comes back by an import. */
export const EXPORT_WRITER: Readonly<Record<FileFormat, ExportWriter>> = {
  jsonl: {
    head: '',
    rows: (rows) => rows.values().map((row) => `${objectOf(row)}\n`),
    between: '',
    tail: '',
  },
  json: {
    head: '[\n',
    rows: (rows) => itemTexts(rows.values().map(objectOf), (index) => (index === 0 ? '' : ',\n')),
    between: ',\n',
    tail: '\n]\n',
  },
  csv: {
    head: `${CSV_COLUMNS.join()}\n`,
    rows: (rows) => rows.values().flatMap(csvLine),
    between: '',
    tail: '',
  },
};

/** The members of a datapoint by the names an import knows; those without a value are left out, `input` never is. */
function objectOf(row: KindColumns): string {
  const { name, texts } = kindTexts(row);
  const given = KIND_MEMBERS[name].filter((member) => member === 'input' || (texts.get(member) ?? 'null') !== 'null');
  return `{${given.map((member) => `"${member}":${texts.get(member)}`).join()}}`;
}

const CELLS = {
  LlmConversation: [undefined, 'expected', undefined, undefined, 'metadata', 'messages'],
  Generic: ['input', 'expected_output', 'actual_output', 'score', 'metadata', undefined],
};

function* csvLine(row: KindColumns): Generator<string> {
  const { name, texts } = kindTexts(row);
  for (const [index, member] of CELLS[name].entries()) {
    if (index > 0) yield ',';
    const json = (member && texts.get(member)) ?? 'null';
    if (json.length > LONG) yield* longCell(json);
    else if (json !== 'null') yield csvCell(json);
    else if (member === 'input') yield json;
  }
  yield '\n';
}

/** UTF-16 units of JSON beyond which a cell is written in pieces, none of which ends within an escape. */
const LONG = 65_536;
const PIECES = /(?:\\u[\da-f]{4}|\\[^u]|[^\\]){1,65536}/giu;

/** {@link csvCell} as it is taken, so that others have their turn meanwhile; quoted whether it needs to be or not. */
function* longCell(json: string): Generator<string> {
  const isText = json.startsWith('"');
  yield '"';
  for (const { 0: piece, index } of (isText ? json.slice(1, -1) : json).matchAll(PIECES)) {
    const text = isText ? (JSON.parse(`"${piece}"`) as string) : piece;
    yield (isText && index === 0 ? asNoFormula(text) : text).replaceAll('"', '""');
  }
  yield '"';
}

/**
 * A cell of CSV that no spreadsheet takes for a formula.
 * @param json a value as JSON: a text becomes the text, any other stays JSON.
 */
export function csvCell(json: string): string {
  const text = json.startsWith('"') ? asNoFormula(JSON.parse(json) as string) : json;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A text as a spreadsheet does not take it for a formula (OWASP "CSV Injection"). */
const asNoFormula = (text: string): string => (FORMULA_START.test(text) ? `'${text}` : text);

/** What spreadsheets take for the start of a formula, in full width too, and what some of them drop before looking. */
const FORMULA_START = /^[=+\-@\uff1d\uff0b\uff0d\uff20\t\r\n\0]/;
