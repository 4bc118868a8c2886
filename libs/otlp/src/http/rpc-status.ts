import { ERRORS } from '@spandrel/contract';
import type { DomainError } from '@spandrel/kernel';
import { MEDIA_TYPES, type OtlpEncoding } from './otlp-media.js';
import { ProtobufMessage } from './protobuf-message.js';

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
const UNKNOWN = 2;

const BAD_REQUEST = 'type.googleapis.com/google.rpc.BadRequest';

/** An error as `google.rpc.Status`, which OTLP asks for; one of status 400 says in a `BadRequest` what is wrong. */
export function writeRpcStatus(error: DomainError, encoding: OtlpEncoding): { mediaType: string; body: Buffer } {
  const { status } = ERRORS[error.code];
  const code = RPC_CODES[status] ?? UNKNOWN;
  const violations = status === 400 ? violationsOf(error) : [];
  const body =
    encoding === 'json' ? jsonStatus(code, error.message, violations) : protobufStatus(code, error.message, violations);
  return { mediaType: MEDIA_TYPES[encoding], body };
}

interface Violation {
  /** Empty for the body as a whole. */
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
