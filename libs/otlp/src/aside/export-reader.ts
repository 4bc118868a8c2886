import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import {
  codeFile,
  CoreSettings,
  DomainError,
  Invalid,
  PLUGINS,
  TaskFailure,
  inTurns,
  TaskPool,
  type PluginRegistry,
  type Scope,
  Turn,
} from '@spandrel/kernel';
import { writtenAhead } from '@spandrel/storage';
import { readJsonInPieces } from '@spandrel/contract';
import { OtlpSettings } from '../otlp.settings.js';
import type { LogView } from '../write/log-members.js';
import { DialectReader } from '../reading/dialect-reader.js';
import type * as Thread from './read-export.thread.js';
import {
  countPoints,
  readLogs,
  readSpans,
  type ExportBody,
  type LogsPage,
  type Reading,
  type SpansPage,
} from './read-pages.js';

/** Bytes from which on an export is read aside: less than that is tens of milliseconds of work, whatever is in it. */
const ASIDE_BYTES = 131_072;

/** How long a thread may take over one export, in milliseconds: the largest one that is allowed takes some seconds. */
const DEADLINE_MS = 30_000;
/** Memory of a thread: 64 MiB of JSON and what one span of it becomes. */
const HEAP_MB = 1_024;
const THREADS_MAX = 2;
const QUEUE_MAX = 64;

interface Pages {
  spans: SpansPage;
  logs: LogsPage;
  points: { count: number };
}
type Tasks = Pick<typeof Thread, keyof Pages | 'merge'>;

export interface ReceivedExport extends Pick<ExportBody, 'bytes' | 'encoding'> {
  /** The organization that sent it: threads take turns between them. */
  readonly orgId: string;
}

/**
 * Reads exports: a small one here, a large one in a thread with a deadline, so that nobody waits for it, whatever it holds
 * (docs/adr/0058-large-exports-are-read-in-threads.md).
 */
@Injectable()
export class ExportReader implements OnModuleDestroy {
  private readonly pool: TaskPool<Tasks>;
  private readonly here: { [Part in keyof Pages]: (body: ExportBody) => Generator<void, Reading<Pages[Part]>> };

  constructor(
    private readonly settings: OtlpSettings,
    private readonly core: CoreSettings,
    @Inject(PLUGINS) { dialects }: PluginRegistry,
    reader: DialectReader,
  ) {
    const rules = { spanBytesMax: core.bodyBytes, dropScopes: settings.dropScopes };
    const data: Thread.ReadingData = { dialects: dialects.map(({ entry }) => entry), ...rules };
    this.here = {
      spans: (body) => readSpans(body, reader, rules),
      logs: (body) => readLogs(body, rules.spanBytesMax),
      points: countPoints,
    };
    this.pool = new TaskPool({
      file: codeFile('libs/otlp/src/aside/read-export.thread.ts'),
      threadsMax: THREADS_MAX,
      queueMax: QUEUE_MAX,
      heapMb: HEAP_MB,
      startMs: DEADLINE_MS,
      data,
    });
  }

  /**
   * Reads a part of an export.
   * @param part what of it.
   * @param from the first item that is wanted.
   * @throws Invalid `malformed_request` or `payload_too_large` when it cannot be read, and `validation_failed` when it is of another
   * signal; DomainError `unavailable` when there is no thread for it, or none in time.
   */
  async read<Part extends keyof Pages>(part: Part, { orgId, ...body }: ReceivedExport, from = 0): Promise<Pages[Part]> {
    const { itemsMax } = this.settings;
    const input = { ...body, from, itemsMax, ownMax: this.core.bodyValues };
    const isSmall = body.bytes.byteLength <= ASIDE_BYTES;
    const read = (await (isSmall ? inTurns(this.here[part](input)) : this.run(orgId, part, input))) as Reading<
      Pages[Part]
    >;
    if (read.other !== undefined) throw isOther(read.other);
    if ('fault' in read) {
      const { kind, message } = read.fault;
      throw new Invalid(kind === 'too_large' ? 'payload_too_large' : 'malformed_request', message);
    }
    return read;
  }

  /**
   * Merges a stored span that is large with its log events, or with what it is sent with again.
   * @returns what the span is to have; `undefined` when that is what it has.
   * @throws DomainError `unavailable` as {@link read} does.
   */
  async merge({ orgId }: Scope, input: Thread.MergeInput): Promise<LogView | undefined> {
    const text = (await this.run(orgId, 'merge', input)) as string | undefined;
    if (text === undefined) return undefined;
    const view = (await inTurns(readJsonInPieces(text))) as unknown as LogView;
    for (const member of ['input', 'output', 'metadata'] as const)
      view[member] = await writtenAhead(view[member] as {});
    return view;
  }

  async onModuleDestroy(): Promise<void> {
    await this.pool.close();
  }

  private async run<Name extends keyof Tasks>(
    group: string,
    name: Name,
    input: Parameters<Tasks[Name]>[0],
  ): Promise<unknown> {
    try {
      return await this.pool.run<Name>(name, input as never, { deadlineMs: DEADLINE_MS, group });
    } catch (error) {
      if (!(error instanceof TaskFailure)) throw error;
      if (error.reason !== 'failed') {
        throw new DomainError('unavailable', 'too many large exports are being read at once; send this one again', {
          retryAfterSeconds: 1,
        });
      }
      if ((error.cause as NodeJS.ErrnoException | undefined)?.code !== 'ERR_WORKER_OUT_OF_MEMORY') throw error;
      throw new Invalid(
        'payload_too_large',
        `reading the export takes more than ${HEAP_MB} MB of memory; let the exporter send smaller batches`,
      );
    }
  }
}

/** Spans were asked for, and another signal came. */
const isOther = (signal: 'logs' | 'metrics'): Invalid =>
  new Invalid('validation_failed', `the body holds ${signal}, which belong to /v1/${signal}; this path takes spans`);

/** Moves a body into memory that threads share. @param chunks which are given up one by one. */
export async function shared(chunks: Buffer[], length: number): Promise<SharedArrayBuffer> {
  const bytes = new SharedArrayBuffer(length);
  const all = new Uint8Array(bytes);
  const turn = new Turn();
  let at = 0;
  for (const [place, chunk] of chunks.entries()) {
    all.set(chunk, at);
    at += chunk.length;
    chunks[place] = NOTHING;
    if (turn.isOver()) await turn.next();
  }
  return bytes;
}

const NOTHING = Buffer.alloc(0);
