import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Module } from '@nestjs/common';
import { createHttpApp, GATEKEEPER, type Caller, type Gatekeeper } from '@spandrel/http';
import { createLogger, defineFeature, DomainError, LOCAL_SCOPE, loadSettings } from '@spandrel/kernel';
import type { OtelSpan } from '@spandrel/plugin-api';
import { ExportReader } from '../aside/export-reader.js';
import { unpackedTexts } from '../aside/packed-texts.js';
import type { OtelLogRecord } from '../decode/otel-log-record.js';
import { OtlpController } from '../http/otlp.controller.js';
import { TakeExport } from '../http/take-export.js';
import { OtlpSettings } from '../otlp.settings.js';
import { WriteExport, type LogsPage, type SpansPage, type WrittenExport } from '../write-export.js';
import type { Rejection } from '../write/rejections.js';
import { encodeOtlp, otlpType } from './otlp-schema.js';

/** Keeps what would be stored, and rejects as it is told. */
class KeptExports extends WriteExport {
  spans: OtelSpan[] = [];
  records: OtelLogRecord[] = [];
  /** What a thread has read. */
  texts: string[] = [];
  rejected: Rejection[] = [];
  fault: Error | null = null;

  async writeSpans(_scope: unknown, spans: Iterable<OtelSpan>): Promise<WrittenExport> {
    if (this.fault) throw this.fault;
    this.spans.push(...spans);
    return { rejected: this.rejected };
  }

  async writeLogs(_scope: unknown, records: Iterable<OtelLogRecord>): Promise<WrittenExport> {
    this.records.push(...records);
    return { rejected: this.rejected };
  }

  async writeReadSpans(_scope: unknown, pages: AsyncIterable<SpansPage>): Promise<WrittenExport> {
    for await (const page of pages) this.texts.push(...unpackedTexts(page));
    return { rejected: this.rejected };
  }

  async writeReadLogs(_scope: unknown, pages: AsyncIterable<LogsPage>): Promise<WrittenExport> {
    for await (const page of pages) this.texts.push(...unpackedTexts(page));
    return { rejected: this.rejected };
  }

  clear(): void {
    Object.assign(this, { spans: [], records: [], texts: [], rejected: [], fault: null });
  }
}

/** Knows one key, and one that may not write. */
const gatekeeper: Gatekeeper = {
  authenticate: ({ text: credential }): Caller => {
    if (credential !== 'the-key' && credential !== 'read-key') throw new DomainError('unauthenticated', 'not valid');
    const permissions = credential === 'the-key' ? (['ingest'] as const) : (['read'] as const);
    return { kind: 'api_key', id: 'k', scope: LOCAL_SCOPE, permissions, expiresAt: null };
  },
  admit: () => undefined,
};

/** What an exporter gets back. */
export interface OtlpAnswer {
  status: number;
  headers: Headers;
  body: Buffer;
}

/** Largest body that the app takes; three such may be read at once, of 1,000 items each. */
export const BODY_BYTES = 100_000;
const ITEMS_MAX = 1_000;

export const PROTOBUF = { 'content-type': 'application/x-protobuf' };
export const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };

/** The routes of OTLP on a port of their own, over a writer that only keeps. */
export class OtlpApp {
  private constructor(
    readonly nest: NestFastifyApplication,
    readonly kept: KeptExports,
  ) {}

  static async start(mode: 'local' | 'cloud'): Promise<OtlpApp> {
    const kept = new KeptExports();
    const settings = loadSettings([OtlpSettings], { args: [], env: {}, cwd: '/' });
    settings.core.mode = mode;
    const limits = { bodyBytes: BODY_BYTES, itemsMax: ITEMS_MAX, decodeBytes: 3 * BODY_BYTES };
    Object.assign(settings.of(OtlpSettings), limits);
    const nest = await createHttpApp({
      settings,
      plugins: { providers: [], scorers: [], searchIndexes: [], dialects: [], maskers: [] },
      logger: createLogger('silent', 'test'),
      features: [
        defineFeature({ name: 'otlp', module: moduleOver(kept), entities: [], requires: [], settings: [OtlpSettings] }),
      ],
      modules: [],
    });
    await nest.listen(0, '127.0.0.1');
    return new OtlpApp(nest, kept);
  }

  get port(): number {
    return (this.nest.getHttpServer().address() as { port: number }).port;
  }

  /** Sends a request, `POST` unless told otherwise. */
  async call(path: string, init: RequestInit = {}): Promise<OtlpAnswer> {
    const response = await fetch(`http://127.0.0.1:${this.port}${path}`, { method: 'POST', ...init });
    return { status: response.status, headers: response.headers, body: Buffer.from(await response.arrayBuffer()) };
  }

  /** Sends an export, in protobuf unless told otherwise. */
  post(
    body: Uint8Array | string = BYTES,
    headers: Record<string, string> = PROTOBUF,
    path = '/v1/traces',
  ): Promise<OtlpAnswer> {
    return this.call(path, { body: typeof body === 'string' ? body : new Uint8Array(body), headers });
  }

  close(): Promise<void> {
    return this.nest.close();
  }
}

function moduleOver(kept: KeptExports): new () => object {
  class OtlpTestModule {}
  Module({
    controllers: [OtlpController],
    providers: [
      TakeExport,
      ExportReader,
      { provide: WriteExport, useValue: kept },
      { provide: GATEKEEPER, useValue: gatekeeper },
    ],
    exports: [GATEKEEPER],
  })(OtlpTestModule);
  return OtlpTestModule;
}

const SPAN = { traceId: Buffer.alloc(16, 1), spanId: Buffer.alloc(8, 2), name: 'a span' };

/** A request with spans, one named `a span` unless told otherwise. */
export const request = (spans: object[] = [SPAN]): object => ({ resourceSpans: [{ scopeSpans: [{ spans }] }] });

/** A request with so many equal spans, in protobuf. */
export const spansInProtobuf = (count: number, span: object = SPAN): Buffer =>
  encodeOtlp('ExportTraceServiceRequest', request(Array.from({ length: count }, () => span)));

/** An export of one span. */
export const BYTES = spansInProtobuf(1);
export const JSON_BODY = JSON.stringify(request([{ ...SPAN, traceId: '01'.repeat(16), spanId: '02'.repeat(8) }]));

/** A message of an answer in protobuf. */
export function decoded(type: string, { body }: OtlpAnswer): Record<string, unknown> {
  const message = otlpType(type);
  return message.toObject(message.decode(body), { longs: Number }) as Record<string, unknown>;
}

export const jsonOf = ({ body }: OtlpAnswer): Record<string, unknown> =>
  JSON.parse(body.toString()) as Record<string, unknown>;
