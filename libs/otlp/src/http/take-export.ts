import { Injectable } from '@nestjs/common';
import { CoreSettings, DomainError, Invalid, type Scope, type StreamedBody } from '@spandrel/kernel';
import type { OtelSpan } from '@spandrel/plugin-api';
import { ItemBudget } from '../decode/item-budget.js';
import { logsOfJson } from '../decode/logs-of-json.js';
import { logsOfProtobuf } from '../decode/logs-of-protobuf.js';
import type { OtelLogRecord } from '../decode/otel-log-record.js';
import { pointsOfJson } from '../decode/points-of-json.js';
import { pointsOfProtobuf } from '../decode/points-of-protobuf.js';
import { spansOfJson } from '../decode/spans-of-json.js';
import { spansOfProtobuf } from '../decode/spans-of-protobuf.js';
import { OtlpSettings } from '../otlp.settings.js';
import { WriteExport, type Rejection } from '../write-export.js';
import { collect } from './collect.js';
import { DecodeBudget } from './decode-budget.js';
import { exportResponse, rejectedCount, rejectionMessage, type RejectedName } from './export-response.js';
import { encodingOf, MEDIA_TYPES, type OtlpEncoding } from './otlp-media.js';
import { otherSignal } from './other-signal.js';
import { readBody } from './read-body.js';
import { ACCEPTED_CODINGS, unpackerOf } from './unpack.js';

/** The answer to an export that was taken. */
export interface ExportAnswer {
  mediaType: string;
  body: Buffer;
}

/** Decoders of one signal; both give items one after the other. */
interface Decoders<Item> {
  signal: 'traces' | 'logs' | 'metrics';
  protobuf: (body: Buffer, items: ItemBudget) => Iterable<Item>;
  json: (text: string, items: ItemBudget) => Iterable<Item>;
}

/** What was read of an export. */
interface ReadExport<Item> {
  /** All of it, one after the other; where it is large it is read anew. */
  items: Iterable<Item>;
  count: number;
  encoding: OtlpEncoding;
}

/** Most items of an export that are kept while it is read; those of a larger one are read again as they are stored. */
const KEPT_MAX = 2_048;

const SPANS: Decoders<OtelSpan> = { signal: 'traces', protobuf: spansOfProtobuf, json: spansOfJson };
const LOGS: Decoders<OtelLogRecord> = { signal: 'logs', protobuf: logsOfProtobuf, json: logsOfJson };
const POINTS: Decoders<number> = { signal: 'metrics', protobuf: pointsOfProtobuf, json: pointsOfJson };

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
    private readonly writer: WriteExport,
  ) {
    this.budget = new DecodeBudget(settings.decodeBytes);
  }

  /** Bytes that exports take which are being read and stored at the moment. */
  get bytesHeld(): number {
    return this.budget.bytes;
  }

  /** Stores spans. @returns once those that are kept are durable. */
  traces(scope: Scope, body: StreamedBody): Promise<ExportAnswer> {
    return this.read(body, SPANS, async ({ items, count, encoding }, bytes) => {
      const { rejected } = count === 0 ? { rejected: [] } : await this.writer.writeSpans(scope, items);
      if (count > 0 && rejectedCount(rejected) === count) throw this.nothingKept(bytes, encoding, rejected);
      return answer(rejected, 'rejectedSpans', encoding);
    });
  }

  /** Adds the records that tell of model calls to their spans; the others are rejected. */
  logs(scope: Scope, body: StreamedBody): Promise<ExportAnswer> {
    return this.read(body, LOGS, async ({ items, count, encoding }) => {
      const { rejected } = count === 0 ? { rejected: [] } : await this.writer.writeLogs(scope, items);
      return answer(rejected, 'rejectedLogRecords', encoding);
    });
  }

  /** Rejects all data points, which the answer says. */
  metrics(body: StreamedBody): Promise<ExportAnswer> {
    return this.read(body, POINTS, async ({ items, encoding }) => {
      let count = 0;
      for (const points of items) count += points;
      const rejected = count === 0 ? [] : [{ reason: METRICS_NOT_KEPT, count, firstSpanId: '' }];
      return answer(rejected, 'rejectedDataPoints', encoding);
    });
  }

  /**
   * Reads an export whole, so that one which is damaged anywhere leaves nothing.
   * @param use gets what was read; the bytes of the body count as held until it is through.
   */
  private async read<Item>(
    body: StreamedBody,
    decoders: Decoders<Item>,
    use: (read: ReadExport<Item>, bytes: Buffer) => Promise<ExportAnswer>,
  ): Promise<ExportAnswer> {
    const { encoding, unpacker } = accepted(body);
    const { bodyBytes, itemsMax } = this.settings;
    const budget = this.budget.open();
    try {
      const bytes = await readBody(body.stream, unpacker, { length: body.length, bytesMax: bodyBytes, budget });
      const decode = decoderOf(bytes, encoding, decoders);
      const read = collect(decode(new ItemBudget(itemsMax, budget.take, this.core.bodyValues)), KEPT_MAX);
      const { items, count } = await read.catch((error: unknown) => {
        const mayBeOther = error instanceof Invalid && error.code === 'malformed_request';
        if (mayBeOther && decoders.signal === 'traces' && encoding === 'protobuf') this.refuseOtherSignal(bytes);
        throw error;
      });
      return await use({ items: items ?? decode(new ItemBudget(itemsMax)), count, encoding }, bytes);
    } finally {
      budget.close();
    }
  }

  private nothingKept(bytes: Buffer, encoding: OtlpEncoding, rejected: readonly Rejection[]): DomainError {
    if (encoding === 'protobuf') this.refuseOtherSignal(bytes);
    return new Invalid('validation_failed', `no span of the export can be kept: ${rejectionMessage(rejected)}`);
  }

  /** @throws Invalid when what was sent for spans is another signal. */
  private refuseOtherSignal(bytes: Buffer): void {
    const signal = otherSignal(bytes, this.settings.itemsMax);
    if (signal === undefined) return;
    throw new Invalid(
      'validation_failed',
      `the body holds ${signal}, which belong to /v1/${signal}; this path takes spans`,
    );
  }
}

/** Decodes a body from its beginning each time it is called. */
function decoderOf<Item>(
  bytes: Buffer,
  encoding: OtlpEncoding,
  { json, protobuf }: Decoders<Item>,
): (allowed: ItemBudget) => Iterable<Item> {
  if (encoding === 'protobuf') return (allowed) => protobuf(bytes, allowed);
  const text = bytes.toString('utf8');
  return (allowed) => json(text, allowed);
}

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
