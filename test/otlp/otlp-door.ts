import type { SpanResource } from '@spandrel/contract';
import { CoreSettings, type Settings } from '@spandrel/kernel';
import type { StorageConfig } from '@spandrel/storage';
import { OtlpSettings } from '../../libs/otlp/src/otlp.settings.js';
import { encodeOtlp, otlpType } from '../../libs/otlp/fixtures/otlp-schema.js';
import type { Api } from '../support/api.ts';
import { cloudApp, type CloudApp } from '../support/cloud-app.ts';
import { startServerApp, type ServerApp } from '../support/server-app.ts';
import type { Tenant } from '../support/tenant.ts';

/** Smaller than the defaults, so that a test reaches them. */
export const LIMITS = { bodyBytes: 300_000, itemsMax: 5_000 };

/** Largest span that is stored whole. */
export const SPAN_BYTES = 200_000;

/** Scopes whose spans are not kept. */
const DROPPED = ['noise', 'noise.*'];

/** What an exporter gets back. */
export interface OtlpAnswer {
  status: number;
  headers: Headers;
  body: Buffer;
}

export const PROTOBUF = { 'content-type': 'application/x-protobuf' };
export const JSON_TYPE = { 'content-type': 'application/json' };

/** The whole API as exporters see it: local mode on SQLite, cloud mode on Postgres with a key. */
export class OtlpDoor {
  private constructor(
    readonly app: ServerApp,
    /** With the key of the project. */
    readonly api: Api,
    /** What the API wants of its callers. */
    readonly headers: Readonly<Record<string, string>>,
    /** Present in cloud mode only. */
    readonly tenant: Tenant | undefined,
    /** Makes another organization, in cloud mode. */
    readonly newTenant: CloudApp['createTenant'],
  ) {}

  static async open(database: StorageConfig): Promise<OtlpDoor> {
    const settings = (all: Settings): void => {
      Object.assign(all.of(OtlpSettings), { ...LIMITS, dropScopes: DROPPED });
      Object.assign(all.of(CoreSettings), { bodyBytes: SPAN_BYTES });
    };
    if (database.dialect === 'sqlite') {
      const app = await startServerApp(database, { settings });
      return new OtlpDoor(app, app.api, {}, undefined, () => Promise.reject(new Error('local mode has no tenants')));
    }
    const app: CloudApp = await cloudApp(database.url, { settings });
    const tenant = await app.createTenant();
    return new OtlpDoor(app, tenant.api, { authorization: `Bearer ${tenant.key}` }, tenant, app.createTenant);
  }

  /** Sends a request, `POST` unless given otherwise, with what the API wants of its callers. */
  async call(path: string, init: RequestInit = {}): Promise<OtlpAnswer> {
    const headers = { ...this.headers, ...(init.headers as Record<string, string> | undefined) };
    const response = await fetch(this.app.url + path, { method: 'POST', ...init, headers });
    return { status: response.status, headers: response.headers, body: Buffer.from(await response.arrayBuffer()) };
  }

  /** Sends an export: bytes as protobuf, anything else as JSON. */
  post(
    body: Uint8Array | string | object,
    { path = '/v1/traces', headers = {} }: { path?: string; headers?: Record<string, string> } = {},
  ): Promise<OtlpAnswer> {
    const isBytes = body instanceof Uint8Array;
    return this.call(path, {
      body: isBytes ? new Uint8Array(body) : typeof body === 'string' ? body : JSON.stringify(body),
      headers: { ...(isBytes ? PROTOBUF : JSON_TYPE), ...headers },
    });
  }

  /** The stored spans of a trace. */
  async spansOf(traceId: string): Promise<SpanResource[]> {
    const { status, body } = await this.api.get<{ spans: SpanResource[] }>(`/api/traces/${traceId}`);
    return status === 200 ? body.spans : [];
  }

  close(): Promise<void> {
    return this.app.close();
  }
}

let traces = 0;

/** A trace id that no other test has. */
export const newTraceId = (): string => `77${(++traces).toString(16).padStart(30, '0')}`;

/** A span as OTLP's JSON has it, of a second in 2026. */
export const jsonSpan = (span: object = {}): Record<string, unknown> => ({
  traceId: newTraceId(),
  spanId: '00f067aa0ba902b7',
  name: 'a span',
  startTimeUnixNano: '1795338000000000000',
  endTimeUnixNano: '1795338001000000000',
  ...span,
});

/** An export of spans as OTLP's JSON has it. */
export const jsonRequest = (...spans: object[]): object => ({ resourceSpans: [{ scopeSpans: [{ spans }] }] });

/** An export of spans in protobuf; ids that are no hex digits are sent as what is of them. */
export const protobufRequest = (...spans: Record<string, unknown>[]): Buffer =>
  encodeOtlp(
    'ExportTraceServiceRequest',
    jsonRequest(
      ...spans.map((span) => ({
        ...span,
        traceId: bytesOf(span['traceId']),
        spanId: bytesOf(span['spanId']),
        parentSpanId: bytesOf(span['parentSpanId']),
      })),
    ),
  );

const bytesOf = (id: unknown): Buffer => Buffer.from(typeof id === 'string' ? id : '', 'hex');

/** An attribute as both encodings have it. */
export function attribute(key: string, value: string | number | boolean): object {
  if (typeof value === 'string') return { key, value: { stringValue: value } };
  if (typeof value === 'boolean') return { key, value: { boolValue: value } };
  return { key, value: Number.isInteger(value) ? { intValue: value } : { doubleValue: value } };
}

/** An answer's `google.rpc.Status`, in the encoding that it has. */
export interface RpcStatus {
  code: number;
  message: string;
  /** Descriptions of the `BadRequest`, where there is one. */
  violations: string[];
}

export function statusOf({ headers, body }: OtlpAnswer): RpcStatus {
  if (headers.get('content-type') === 'application/json') {
    const {
      code,
      message,
      details = [],
    } = JSON.parse(body.toString()) as {
      code: number;
      message: string;
      details?: { fieldViolations: { description: string }[] }[];
    };
    const violations = details.flatMap(({ fieldViolations }) => fieldViolations.map((each) => each.description));
    return { code, message, violations };
  }
  const { code, message, details } = decoded('RpcStatus', body) as {
    code: number;
    message: string;
    details?: { value: Buffer }[];
  };
  const violations = (details ?? []).flatMap(({ value }) => {
    const { fieldViolations } = decoded('BadRequest', value) as { fieldViolations: { description: string }[] };
    return fieldViolations.map(({ description }) => description);
  });
  return { code, message, violations };
}

/** What an answer of 200 says was left out. */
export function partialSuccessOf({ headers, body }: OtlpAnswer): { rejected: number; message: string } {
  if (headers.get('content-type') !== 'application/json') {
    const { partialSuccess } = decoded('ExportServiceResponse', body) as {
      partialSuccess?: { rejected: number; errorMessage: string };
    };
    return { rejected: partialSuccess?.rejected ?? 0, message: partialSuccess?.errorMessage ?? '' };
  }
  const { partialSuccess = {} } = JSON.parse(body.toString()) as { partialSuccess?: Record<string, string> };
  const { errorMessage = '', ...counts } = partialSuccess;
  return { rejected: Number(Object.values(counts)[0] ?? 0), message: errorMessage };
}

function decoded(type: string, bytes: Uint8Array): Record<string, unknown> {
  const message = otlpType(type);
  return message.toObject(message.decode(bytes), { longs: Number, bytes: Buffer }) as Record<string, unknown>;
}
