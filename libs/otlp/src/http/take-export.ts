import { Injectable } from '@nestjs/common';
import type { StreamedBody } from '@spandrel/http';
import { CoreSettings, Invalid, type Scope, Turn } from '@spandrel/kernel';
import type { OtelSpan } from '@spandrel/plugin-api';
import { ASIDE_BYTES, ExportReader, isOther, shared, type LargeExport } from '../aside/export-reader.js';
import { ItemBudget, ExportFault } from '../decode/item-budget.js';
import { logsOfJson, pointsOfJson, spansOfJson } from '../decode/read-json.js';
import { logsOfProtobuf, pointsOfProtobuf, spansOfProtobuf } from '../decode/read-protobuf.js';
import type { OtelLogRecord } from '../decode/otel-records.js';
import { OtlpSettings } from '../otlp.settings.js';
import type { LogsPage, SpansPage } from '../aside/read-pages.js';
import { StoreExport } from '../write/store-export.js';
import type { Rejection } from '../write/rejections.js';
import { DecodeBudget, type BodyBudget, readBody, ACCEPTED_CODINGS, unpackerOf } from './read-body.js';
import { exportResponse, rejectedCount, rejectionMessage, type RejectedName } from './export-response.js';
import { encodingOf, MEDIA_TYPES, type OtlpEncoding } from './otlp-protocol.js';
import { otherSignal } from '../decode/other-signal.js';

/** The answer to an export that was taken. */
export interface ExportAnswer {
  mediaType: string;
  body: Buffer;
}

interface Decoders<Item> {
  signal: 'traces' | 'logs' | 'metrics';
  protobuf: (body: Buffer, items: ItemBudget) => Iterable<Item>;
  json: (text: string, items: ItemBudget) => Iterable<Item>;
}

type PageOf<Part extends 'spans' | 'logs'> = { spans: SpansPage; logs: LogsPage }[Part];

const SPANS: Decoders<OtelSpan> = { signal: 'traces', protobuf: spansOfProtobuf, json: spansOfJson };
const LOGS: Decoders<OtelLogRecord> = { signal: 'logs', protobuf: logsOfProtobuf, json: logsOfJson };
const POINTS: Decoders<number> = { signal: 'metrics', protobuf: pointsOfProtobuf, json: pointsOfJson };

/** Metrics are not kept, so that one group for all organizations does. */
const NO_SCOPE = { orgId: '' };
const METRICS_NOT_KEPT = 'metrics are not kept here, traces are; OTEL_METRICS_EXPORTER=none turns their exporter off';

/**
 * Takes exports: bytes in, bytes out (docs/spec/otlp.md#requests-and-answers). All methods throw DomainErrors, which are
 * answered in the encoding of the request.
 */
@Injectable()
export class TakeExport {
  private readonly budget: DecodeBudget;

  constructor(
    private readonly settings: OtlpSettings,
    private readonly core: CoreSettings,
    private readonly writer: StoreExport,
    private readonly reader: ExportReader,
  ) {
    this.budget = new DecodeBudget(settings.decodeBytes);
  }

  /** Bytes that exports take which are being read and stored at the moment. */
  get bytesHeld(): number {
    return this.budget.bytes;
  }

  /** Stores spans. @returns once those that are kept are durable. */
  traces(scope: Scope, body: StreamedBody): Promise<ExportAnswer> {
    return this.take(scope, body, 'rejectedSpans', {
      here: async (bytes, encoding, budget) => {
        const items = await this.read(bytes, encoding, SPANS, budget);
        if (items.length === 0) return [];
        const { rejected } = await this.writer.writeSpans(scope, items);
        if (rejectedCount(rejected) < items.length) return rejected;
        if (encoding === 'protobuf') this.refuseOtherSignal(bytes);
        throw nothingKept(rejected);
      },
      aside: async (large, budget) => {
        const first = await this.reader.read('spans', large);
        const { rejected } = await this.writer.writeReadSpans(scope, this.pages('spans', large, first, budget));
        if (first.count > 0 && rejectedCount(rejected) === first.count) throw nothingKept(rejected);
        return rejected;
      },
    });
  }

  /** Adds the records about model calls to their spans; the others are rejected. */
  logs(scope: Scope, body: StreamedBody): Promise<ExportAnswer> {
    return this.take(scope, body, 'rejectedLogRecords', {
      here: async (bytes, encoding, budget) => {
        const items = await this.read(bytes, encoding, LOGS, budget);
        return items.length === 0 ? [] : (await this.writer.writeLogs(scope, items)).rejected;
      },
      aside: async (large, budget) => {
        const first = await this.reader.read('logs', large);
        return (await this.writer.writeReadLogs(scope, this.pages('logs', large, first, budget))).rejected;
      },
    });
  }

  /** Rejects all data points, which the answer says. */
  metrics(body: StreamedBody): Promise<ExportAnswer> {
    const rejected = (count: number) => (count === 0 ? [] : [{ reason: METRICS_NOT_KEPT, count, firstSpanId: '' }]);
    return this.take(NO_SCOPE, body, 'rejectedDataPoints', {
      here: async (bytes, encoding, budget) => {
        let count = 0;
        for (const points of await this.read(bytes, encoding, POINTS, budget)) count += points;
        return rejected(count);
      },
      aside: async (large) => rejected((await this.reader.read('points', large)).count),
    });
  }

  /**
   * Takes an export: a small one is read here, a large one in a thread.
   * @param ways each returns what was left out; the bytes of the body count as held until it is through.
   */
  private async take(
    { orgId }: Pick<Scope, 'orgId'>,
    body: StreamedBody,
    name: RejectedName,
    ways: {
      here: (bytes: Buffer, encoding: OtlpEncoding, budget: BodyBudget) => Promise<readonly Rejection[]>;
      aside: (large: LargeExport, budget: BodyBudget) => Promise<readonly Rejection[]>;
    },
  ): Promise<ExportAnswer> {
    const { encoding, unpacker } = accepted(body);
    const budget = this.budget.open();
    try {
      const { bodyBytes: bytesMax } = this.settings;
      const chunks = await readBody(body.stream, unpacker, { length: body.length, bytesMax, budget });
      const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
      const rejected =
        length <= ASIDE_BYTES
          ? await ways.here(Buffer.concat(chunks), encoding, budget)
          : await ways.aside({ bytes: await shared(chunks, length), encoding, orgId }, budget);
      return answer(rejected, name, encoding);
    } finally {
      budget.close();
    }
  }

  /** Reads an export whole, so that one which is damaged anywhere leaves nothing. */
  private async read<Item>(
    bytes: Buffer,
    encoding: OtlpEncoding,
    decoders: Decoders<Item>,
    budget: BodyBudget,
  ): Promise<Item[]> {
    const items = new ItemBudget(this.settings.itemsMax, budget.take, this.core.bodyValues);
    try {
      return await collect(
        encoding === 'protobuf' ? decoders.protobuf(bytes, items) : decoders.json(bytes.toString('utf8'), items),
      );
    } catch (error) {
      const mayBeOther = error instanceof Invalid && error.code === 'malformed_request';
      if (mayBeOther && decoders.signal === 'traces' && encoding === 'protobuf') this.refuseOtherSignal(bytes);
      throw error;
    }
  }

  /** What a thread reads of an export, as far as it fits, and then what follows. */
  private async *pages<Part extends 'spans' | 'logs'>(
    part: Part,
    large: LargeExport,
    first: Awaited<ReturnType<ExportReader['read']>> & PageOf<Part>,
    budget: BodyBudget,
  ): AsyncGenerator<PageOf<Part>, void, undefined> {
    let held = 0;
    for (let page: PageOf<Part> = first; ; page = (await this.reader.read(part, large, page.next!)) as PageOf<Part>) {
      const { byteLength } = page.bytes;
      if (byteLength > held) budget.take(byteLength - held);
      held = Math.max(held, byteLength);
      yield page;
      if (page.next === null) return;
    }
  }

  /** @throws Invalid when what was sent for spans is another signal. */
  private refuseOtherSignal(bytes: Buffer): void {
    const signal = otherSignal(bytes, this.settings.itemsMax);
    if (signal !== undefined) throw isOther(signal);
  }
}

const nothingKept = (rejected: readonly Rejection[]): Invalid =>
  new Invalid('validation_failed', `no span of the export can be kept: ${rejectionMessage(rejected)}`);

const answer = (rejected: readonly Rejection[], name: RejectedName, encoding: OtlpEncoding): ExportAnswer => ({
  mediaType: MEDIA_TYPES[encoding],
  body: exportResponse(rejected, name, encoding),
});

/** @throws Invalid `unsupported_media_type` */
function accepted({ contentType, contentEncoding, stream }: StreamedBody): {
  encoding: OtlpEncoding;
  unpacker: Exclude<ReturnType<typeof unpackerOf>, undefined>;
} {
  const encoding = encodingOf(contentType);
  const unpacker = unpackerOf(contentEncoding);
  if (encoding !== undefined && unpacker !== undefined) return { encoding, unpacker };
  stream.resume();
  throw new Invalid(
    'unsupported_media_type',
    encoding === undefined
      ? `the media type ${contentType ? `"${contentType.slice(0, 100)}" ` : ''}is not one of OTLP; send application/x-protobuf or application/json`
      : `the Content-Encoding "${contentEncoding?.slice(0, 100)}" is not supported; send one of ${ACCEPTED_CODINGS}, or none`,
  );
}

/**
 * Reads all that a decoder gives, in slices, so that others are served meanwhile: an export that is damaged anywhere leaves nothing.
 * @throws Invalid `malformed_request` or `payload_too_large` where the decoder throws ExportFault.
 */
export async function collect<Item>(decoded: Iterable<Item>): Promise<Item[]> {
  const items: Item[] = [];
  const turn = new Turn();
  try {
    for (const item of decoded) {
      items.push(item);
      if (turn.isOver()) await turn.next();
    }
  } catch (error) {
    if (!(error instanceof ExportFault)) throw error;
    throw new Invalid(error.kind === 'too_large' ? 'payload_too_large' : 'malformed_request', error.message);
  }
  return items;
}
