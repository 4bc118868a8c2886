import type { ImportResult, IngestResult } from '@spandrel/contract';
import { SpandrelError, type Api } from '@spandrel/sdk';
import { CommandFailure, ExitCode } from '../exit-codes.js';
import { lookForDataset, readAnswer } from '../server.js';
import type { ExportFiles } from './export-files.js';
import { leftOf, nameOf, type Members } from './foreign-values.js';

/** Where a record stands. */
export interface Place {
  file: string;
  line: number;
}

/** Reads the export of another product. */
export interface Product {
  /** Puts files into the order in which they are read, and leaves out those that hold nothing to take. */
  arrange?(found: ExportFiles): void;
  knows(record: unknown): boolean;
  /** Takes a record that it knows; what cannot be taken of it is left out. */
  take(record: unknown, place: Place, intake: Intake): Promise<void>;
  /** Takes what could not be said before all records were read. */
  finish?(intake: Intake): Promise<void>;
}

/** What became of the records of an export. */
export interface Summary {
  files: number;
  taken: { traces: number; spans: number; scores: number; datapoints: number };
  duplicates: number;
  /** How often a type of theirs became a kind of ours: `generation → llm_call`. */
  mapped: Record<string, number>;
  left_out: { count: number; records: (Partial<Place> & { file: string; message: string })[] };
}

/** A list of an ingest, or `otel`: spans of OpenTelemetry. */
type Collection = 'traces' | 'spans' | 'scores' | 'otel';

interface Item {
  collection: Collection;
  id: string;
  json: string;
  place: Place;
  /** The trace of a span, as an ingest needs it: it may be made by this span. */
  trace?: string;
}

/** Items, and bytes of JSON, that one request has at most; a server takes 10,000 and 10 MiB unless it is set otherwise. */
const ITEMS_MAX = 1_000;
const BYTES_MAX = 2_097_152;
const ROWS_BYTES_MAX = 16_777_216;
/** Records that are left out and named in the summary. */
const NAMED_MAX = 100;
/** Types of theirs that are counted one by one, and what is kept of a long one. */
const TYPES_MAX = 100;
const TYPE_LENGTH_MAX = 100;
const ARRIVAL_MS_MAX = 600_000;

/** Sends what is read of an export, many items at once, and counts what becomes of it. */
export class Intake {
  readonly summary: Summary = {
    files: 0,
    taken: { traces: 0, spans: 0, scores: 0, datapoints: 0 },
    duplicates: 0,
    mapped: {},
    left_out: { count: 0, records: [] },
  };
  /** Whether no record of the product was found so far. */
  isUntouched = true;
  failure: unknown;
  private items: Item[] = [];
  private bytes = 0;
  private rows: { dataset: string; description: unknown; lines: { json: string; place: Place }[]; bytes: number } =
    NO_ROWS;

  constructor(
    private readonly api: Api,
    private readonly report: (summary: Summary) => void,
  ) {}

  /** @param trace of a span: its trace, for a server that does not have it yet. */
  async add(collection: Collection, value: Members, place: Place, trace?: Members): Promise<void> {
    const json = JSON.stringify(value);
    const id = String(value['id'] ?? value['spanId']);
    const item = { collection, id, json, place, ...(trace && { trace: JSON.stringify(trace) }) };
    if (this.bytes + json.length > BYTES_MAX) await this.flush();
    this.items.push(item);
    this.bytes += json.length;
    if (this.items.length >= ITEMS_MAX) await this.flush();
  }

  /** Adds a datapoint to the dataset of a name, which is made when there is none. Datapoints that it has are left. */
  async addDatapoint(dataset: string, description: unknown, row: Members, place: Place): Promise<void> {
    const json = JSON.stringify(row);
    if (this.rows.dataset !== dataset || this.rows.bytes + json.length > ROWS_BYTES_MAX) await this.flush();
    if (this.rows === NO_ROWS) this.rows = { dataset, description, lines: [], bytes: 0 };
    this.rows.lines.push({ json, place });
    this.rows.bytes += json.length;
  }

  count(type: string, kind: string): void {
    const { mapped } = this.summary;
    const exact = `${type.slice(0, TYPE_LENGTH_MAX).toLowerCase()} → ${kind}`;
    const words = exact in mapped || Object.keys(mapped).length < TYPES_MAX ? exact : `other types → ${kind}`;
    mapped[words] = (mapped[words] ?? 0) + 1;
  }

  leaveOut(place: { file: string; line?: number }, message: string, count = 1): void {
    const { left_out: left } = this.summary;
    left.count += count;
    if (left.records.length < NAMED_MAX) left.records.push({ ...place, message });
  }

  /** Sends what is waiting; spans go before the scores of them. */
  async flush(): Promise<void> {
    const { items, rows } = this;
    [this.items, this.bytes, this.rows] = [[], 0, NO_ROWS];
    const [spans, others] = [items.filter(isOtel), items.filter((item) => !isOtel(item))];
    try {
      if (spans.length > 0) await this.send(spans, (lot) => this.export(lot));
      if (others.length > 0) await this.send(others, (lot) => this.ingest(lot));
      if (rows.lines.length > 0) await this.takeRows(rows);
    } catch (error) {
      this.failure = error;
      throw error;
    }
    this.report(this.summary);
  }

  /** What is refused as a whole is sent by halves, so that no good item is lost for a bad or too large one. */
  private async send(items: readonly Item[], post: (items: readonly Item[]) => Promise<void>): Promise<void> {
    try {
      await post(items);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      if (items.length === 1) return this.refuse(items[0]!, error.message);
      const half = items.length >> 1;
      await this.send(items.slice(0, half), post);
      await this.send(items.slice(half), post);
    }
  }

  private refuse({ collection, id, place }: Item, message: string): void {
    this.leaveOut(place, `${collection === 'otel' ? 'span' : collection.slice(0, -1)} ${id}: ${message}`);
  }

  private async post<Answer>(path: string, body: string): Promise<Answer> {
    const headers = { 'content-type': 'application/json' };
    return readAnswer<Answer>(await this.api.raw('POST', path, { headers, body, retry: true }));
  }

  private async ingest(items: readonly Item[]): Promise<void> {
    const lists: Record<'traces' | 'spans' | 'scores', (Item | string)[]> = { traces: [], spans: [], scores: [] };
    lists.traces.push(...new Set(items.flatMap(({ trace }) => trace ?? [])));
    for (const item of items) lists[item.collection as 'spans'].push(item);
    const listed = Object.entries(lists).map(([name, list]) => `"${name}":[${list.map(jsonOf).join(',')}]`);
    const { rejected } = await this.post<IngestResult>('/api/ingest', `{${listed.join(',')}}`);
    for (const item of items) this.summary.taken[item.collection as 'spans']++;
    for (const { collection, index, message } of rejected) {
      const item = lists[collection][index];
      // A trace that a span only names: its spans are rejected too.
      if (item === undefined || typeof item === 'string') continue;
      this.summary.taken[collection]--;
      this.refuse(item, message);
    }
  }

  private async export(items: readonly Item[]): Promise<void> {
    const body = `{"resourceSpans":[{"scopeSpans":[{"spans":[${items.map(jsonOf).join(',')}]}]}]}`;
    const answer = await this.post<{ partialSuccess?: { rejectedSpans?: unknown; errorMessage?: string } }>(
      '/api/otel/v1/traces',
      body,
    );
    const rejected = Number(answer.partialSuccess?.rejectedSpans ?? 0);
    this.summary.taken.spans += items.length - rejected;
    if (rejected > 0)
      this.leaveOut({ file: items[0]!.place.file }, answer.partialSuccess!.errorMessage ?? '', rejected);
  }

  /** Leaves rows out where their dataset cannot take them, or is not the only one of its name. */
  private async takeRows(rows: Intake['rows']): Promise<void> {
    try {
      await this.importRows(rows);
    } catch (error) {
      if (!isRefusal(error) && !isAmbiguous(error)) throw error;
      for (const { place } of rows.lines) this.leaveOut(place, `dataset ${rows.dataset}: ${error.message}`);
    }
  }

  private async importRows({ dataset: name, description, lines }: Intake['rows']): Promise<void> {
    const about = leftOf({ description: nameOf(description, '') });
    const found = await lookForDataset(this.api, name);
    const { id } = found ?? (await this.api.createDataset({ body: { name, ...about } }));
    const answer = await this.api.raw('POST', `/api/datasets/${id}/import`, {
      query: { on_error: 'skip', dedupe: true, filename: 'import.jsonl' },
      headers: { 'content-type': 'application/x-ndjson' },
      body: lines.map(({ json }) => json).join('\n'),
      timeoutMs: ARRIVAL_MS_MAX,
      retry: true,
    });
    const { imported, duplicates = 0, skipped = [], skipped_count: count = 0 } = await readAnswer<ImportResult>(answer);
    this.summary.taken.datapoints += imported;
    this.summary.duplicates += duplicates;
    for (const { line, message } of skipped) this.leaveOut(lines[line - 1]!.place, message);
    this.summary.left_out.count += count - skipped.length;
  }
}

const NO_ROWS: Intake['rows'] = { dataset: '', description: null, lines: [], bytes: 0 };
/** What is wrong with what was sent, not with the server or who asks. */
const isRefusal = (error: unknown): error is SpandrelError =>
  error instanceof SpandrelError && [400, 413].includes(error.status);
const isAmbiguous = (error: unknown): error is CommandFailure =>
  error instanceof CommandFailure && error.exitCode === ExitCode.unforeseen;
const isOtel = ({ collection }: Item): boolean => collection === 'otel';
const jsonOf = (item: Item | string): string => (typeof item === 'string' ? item : item.json);
