import type { IncomingHttpHeaders } from 'node:http';
import type { ThirdPartyProtocol } from '@spandrel/http';
import type { DomainError } from '@spandrel/kernel';
import { ERRORS } from '@spandrel/contract';
import { ProtobufMessage } from './protobuf-message.js';

/** The two encodings of OTLP over HTTP. */
export type OtlpEncoding = 'protobuf' | 'json';

const ENCODINGS: ReadonlyMap<string, OtlpEncoding> = new Map([
  ['application/x-protobuf', 'protobuf'],
  ['application/protobuf', 'protobuf'],
  ['application/json', 'json'],
]);

/** Media types by encoding, as answers have them. */
export const MEDIA_TYPES: Readonly<Record<OtlpEncoding, string>> = {
  protobuf: 'application/x-protobuf',
  json: 'application/json',
};

/** @param contentType as it came, with parameters. @returns `undefined` for a media type that OTLP does not have. */
export const encodingOf = (contentType: string | undefined): OtlpEncoding | undefined =>
  ENCODINGS.get((contentType ?? '').split(';', 1)[0]!.trim().toLowerCase());

const SCHEME = /^(Bearer|Basic) +(\S+) *$/i;
const BARE = /^\S+$/;

/**
 * Where exporters put a credential (docs/spec/otlp.md#credentials): `Authorization: Bearer`, the password of `Basic`, a
 * bare `Authorization`, or `X-Api-Key`.
 * @returns `undefined` when there is none.
 */
export function exporterCredential(headers: IncomingHttpHeaders): string | undefined {
  const { authorization } = headers;
  const ownKey = headers['x-api-key'];
  const key = typeof ownKey === 'string' && BARE.test(ownKey) ? ownKey : undefined;
  if (authorization === undefined) return key;
  const [, scheme, content] = SCHEME.exec(authorization) ?? [];
  if (scheme === undefined) return BARE.test(authorization) ? authorization : key;
  return scheme.toLowerCase() === 'bearer' ? content : (passwordOf(content!) ?? key);
}

function passwordOf(basic: string): string | undefined {
  const pair = Buffer.from(basic, 'base64').toString('utf8');
  const colon = pair.indexOf(':');
  const password = colon === -1 ? '' : pair.slice(colon + 1);
  return BARE.test(password) ? password : undefined;
}

/** Codes of gRPC by the HTTP status that we answer with (docs/spec/otlp.md#errors). */
const RPC_CODES: Readonly<Record<number, number>> = {
  400: 3,
  401: 16,
  403: 7,
  404: 5,
  405: 12,
  408: 4,
  413: 8,
  415: 3,
  429: 8,
  500: 13,
  503: 14,
};

const BAD_REQUEST = 'type.googleapis.com/google.rpc.BadRequest';

/** An error as `google.rpc.Status`, which OTLP asks for; one of status 400 says in a `BadRequest` what is wrong. */
function writeRpcStatus(error: DomainError, encoding: OtlpEncoding): { mediaType: string; body: Buffer } {
  const { status } = ERRORS[error.code];
  // 2: unknown.
  const code = RPC_CODES[status] ?? 2;
  const violations = status === 400 ? violationsOf(error) : [];
  const body =
    encoding === 'json' ? jsonStatus(code, error.message, violations) : protobufStatus(code, error.message, violations);
  return { mediaType: MEDIA_TYPES[encoding], body };
}

interface Violation {
  field: string;
  description: string;
}

const violationsOf = ({ errors, message }: DomainError): Violation[] =>
  errors?.map(({ path, message: description }) => ({ field: path, description })) ?? [
    { field: '', description: message },
  ];

function jsonStatus(code: number, message: string, fieldViolations: readonly Violation[]): Buffer {
  const details = fieldViolations.length > 0 ? { details: [{ '@type': BAD_REQUEST, fieldViolations }] } : undefined;
  return Buffer.from(JSON.stringify({ code, message, ...details }));
}

function protobufStatus(code: number, message: string, violations: readonly Violation[]): Buffer {
  const status = new ProtobufMessage().integer(1, code).text(2, message);
  if (violations.length === 0) return status.end();
  const badRequest = new ProtobufMessage();
  for (const { field, description } of violations) {
    badRequest.message(1, new ProtobufMessage().text(1, field).text(2, description));
  }
  return status.message(3, new ProtobufMessage().text(1, BAD_REQUEST).message(2, badRequest)).end();
}

/** OTLP over HTTP, as its exporters speak it (docs/spec/otlp.md#requests-and-answers). */
export const OTLP: ThirdPartyProtocol = {
  credentialOf: exporterCredential,
  credentialWays: ['bearer', 'basic', 'key', 'api_key_header'],
  writeError: (error, contentType) => writeRpcStatus(error, encodingOf(contentType) ?? 'json'),
  errorAnswer: {
    mediaTypes: Object.values(MEDIA_TYPES),
    description: '`google.rpc.Status` in the encoding of the request; JSON where that is not known.',
  },
};
