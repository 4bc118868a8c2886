import { Catch, HttpException, Inject, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { ERRORS, problem, PROBLEM_MEDIA_TYPE, type ErrorCode, type Problem } from '@spandrel/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DomainError, NotFound, LOGGER, type Logger } from '@spandrel/kernel';
import { RefusedRequests } from './access/wrong-credentials.js';
import { findThirdPartyProtocol } from './third-party-protocols.js';
import { contentTypeOf } from './request-bodies.js';
import { MisdirectedRequest } from './misdirected-request.js';
import { refuseUnread } from './intake/connection-intake.js';

/** Turns every error of a request into problem+json, in this one place (RFC 9457, docs/spec/general.md#errors). */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(RefusedRequests) private readonly refused: RefusedRequests,
  ) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    this.refused.note(sendProblem(error, request, http.getResponse(), this.logger), request);
  }
}

/** Answers a request with the problem behind an error; one that is a fault of ours is logged. @returns its code. */
export function sendProblem(error: unknown, request: FastifyRequest, reply: FastifyReply, logger: Logger): ErrorCode {
  const known = toDomainError(error);
  logFailure(known, error, request, logger);
  if (reply.sent || reply.raw.headersSent) {
    reply.raw.destroy();
    return known.code;
  }
  // Exporters of OpenTelemetry come again after 503 only when they get a time.
  const retryAfterSeconds = known.retryAfterSeconds ?? (known.code === 'unavailable' ? 1 : undefined);
  if (retryAfterSeconds !== undefined) void reply.header('retry-after', String(retryAfterSeconds));
  const { mediaType, body } = writeError(known, request);
  const isLast = !reply.raw.shouldKeepAlive || reply.getHeader('connection') === 'close';
  if (!request.raw.complete && (isLast || known.code === 'payload_too_large')) refuseUnread(request.raw, reply.raw);
  void reply
    .status(ERRORS[known.code].status)
    .header('x-request-id', request.id)
    .header('content-type', mediaType)
    .header('content-length', body.length)
    .send(body);
  return known.code;
}

/** The problem behind an error, for an answer that has begun already; logged like any other. */
export function problemOf(error: unknown, request: FastifyRequest, logger: Logger): Problem {
  const known = toDomainError(error);
  logFailure(known, error, request, logger);
  return problem(known.code, known.message, request.id, known.errors);
}

function writeError(error: DomainError, request: FastifyRequest): { mediaType: string; body: Buffer } {
  const protocol = findThirdPartyProtocol(request.raw);
  if (protocol) return protocol.writeError(error, contentTypeOf(request));
  const shown = problem(error.code, error.message, request.id, error.errors);
  const lost = error instanceof MisdirectedRequest ? { error: error.error } : undefined;
  return { mediaType: PROBLEM_MEDIA_TYPE, body: Buffer.from(JSON.stringify({ ...shown, ...lost })) };
}

/** What is not the caller's fault is logged: as an error what nobody foresaw, as a warning what had a reason. */
function logFailure({ code, cause }: DomainError, error: unknown, request: FastifyRequest, logger: Logger): void {
  const facts = { err: error, request_id: request.id, method: request.method };
  if (code === 'internal' && isClientGone(error, request)) return;
  if (code === 'internal') logger.error(facts, 'request failed');
  else if (ERRORS[code].status >= 500 && cause !== undefined) logger.warn(facts, 'request failed');
}

/** Whether an answer could not be sent whole because its client has gone, which the access log reports. */
const isClientGone = (error: unknown, { raw }: FastifyRequest): boolean =>
  (error as { code?: unknown } | null)?.code === 'ERR_STREAM_PREMATURE_CLOSE' && raw.socket.destroyed;

/** Codes for the statuses that Fastify and Nest answer with by themselves. */
const CODE_BY_STATUS: Readonly<Record<number, [ErrorCode, string]>> = {
  400: ['malformed_request', 'the request is not valid HTTP'],
  401: ['unauthenticated', 'a credential is needed'],
  403: ['insufficient_scope', 'this request is not allowed'],
  404: ['not_found', 'there is nothing at this path'],
  405: ['method_not_allowed', 'this path does not take this method'],
  408: ['request_timeout', 'the request took too long to arrive'],
  413: ['payload_too_large', 'the body is larger than this server takes (limits.body_bytes)'],
  414: ['malformed_request', 'the path is too long'],
  415: ['unsupported_media_type', 'the media type is not supported; send application/json'],
  431: ['headers_too_large', 'the headers are larger than this server takes'],
  503: ['unavailable', 'the service is stopping; send the request again'],
};

const DETAIL_BY_CODE: Readonly<Record<string, string>> = {
  FST_ERR_BAD_URL: 'the path is not valid: after each "%" stand two hexadecimal digits, together UTF-8',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'the body does not have as many bytes as Content-Length says',
};

function toDomainError(error: unknown): DomainError {
  if (error instanceof DomainError) return error;
  if (error instanceof HttpException && error.getStatus() === 404)
    return new NotFound('not_found', CODE_BY_STATUS[404]![1]);
  const status = statusOf(error);
  const [code, message] =
    CODE_BY_STATUS[status] ??
    (status >= 400 && status < 500 ? CODE_BY_STATUS[400]! : ['internal', 'something went wrong on the server']);
  const own = DETAIL_BY_CODE[String((error as { code?: unknown } | null)?.code)];
  return new DomainError(code, own ?? message);
}

function statusOf(error: unknown): number {
  if (error instanceof HttpException) return error.getStatus();
  const status = (error as { statusCode?: unknown } | null)?.statusCode;
  return typeof status === 'number' ? status : 500;
}
