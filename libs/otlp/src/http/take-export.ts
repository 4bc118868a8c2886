import { Injectable } from '@nestjs/common';
import type { StreamedBody } from '@spandrel/http';
import { Invalid, type Scope } from '@spandrel/kernel';
import { ExportReader, shared, type ReceivedExport } from '../aside/export-reader.js';
import { OtlpSettings } from '../otlp.settings.js';
import type { LogsPage, SpansPage } from '../aside/read-pages.js';
import { StoreExport } from '../write/store-export.js';
import type { Rejection } from '../write/rejections.js';
import { DecodeBudget, type BodyBudget, readBody, ACCEPTED_CODINGS, unpackerOf } from './read-body.js';
import { exportResponse, rejectedCount, rejectionMessage, type RejectedName } from './export-response.js';
import { encodingOf, MEDIA_TYPES, type OtlpEncoding } from './otlp-protocol.js';

export interface ExportAnswer {
  mediaType: string;
  body: Buffer;
}

interface Pages {
  spans: SpansPage;
  logs: LogsPage;
}

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
    return this.take(scope, body, 'rejectedSpans', async (received, budget) => {
      const first = await this.reader.read('spans', received);
      const rejected = await this.writer.writeSpans(scope, this.pages('spans', received, first, budget));
      if (first.count > 0 && rejectedCount(rejected) === first.count) throw nothingKept(rejected);
      return rejected;
    });
  }

  /** Adds the records about model calls to their spans; the others are rejected. */
  logs(scope: Scope, body: StreamedBody): Promise<ExportAnswer> {
    return this.take(scope, body, 'rejectedLogRecords', async (received, budget) => {
      const first = await this.reader.read('logs', received);
      return this.writer.writeLogs(scope, this.pages('logs', received, first, budget));
    });
  }

  /** Rejects all data points, which the answer says. */
  metrics(body: StreamedBody): Promise<ExportAnswer> {
    return this.take(NO_SCOPE, body, 'rejectedDataPoints', async (received) => {
      const { count } = await this.reader.read('points', received);
      return count === 0 ? [] : [{ reason: METRICS_NOT_KEPT, count, firstSpanId: '' }];
    });
  }

  /**
   * Takes an export.
   * @param store returns what was left out; the bytes of the body count as held until it is through.
   */
  private async take(
    { orgId }: Pick<Scope, 'orgId'>,
    body: StreamedBody,
    name: RejectedName,
    store: (received: ReceivedExport, budget: BodyBudget) => Promise<readonly Rejection[]>,
  ): Promise<ExportAnswer> {
    const { encoding, unpacker } = accepted(body);
    const budget = this.budget.open();
    try {
      const { bodyBytes: bytesMax } = this.settings;
      const chunks = await readBody(body.stream, unpacker, { length: body.length, bytesMax, budget });
      const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
      const rejected = await store({ bytes: await shared(chunks, length), encoding, orgId }, budget);
      return answer(rejected, name, encoding);
    } finally {
      budget.close();
    }
  }

  /** What is read of an export, as far as it fits, and then what follows. */
  private async *pages<Part extends keyof Pages>(
    part: Part,
    received: ReceivedExport,
    first: Pages[Part],
    budget: BodyBudget,
  ): AsyncGenerator<Pages[Part], void, undefined> {
    let held = 0;
    for (let page = first; ; page = await this.reader.read(part, received, page.next!)) {
      const { byteLength } = page.lines;
      if (byteLength > held) budget.take(byteLength - held);
      held = Math.max(held, byteLength);
      yield page;
      if (page.next === null) return;
    }
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
