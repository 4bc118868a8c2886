import type { Duplex } from 'node:stream';
import { ERRORS, problem, PROBLEM_MEDIA_TYPE, type ErrorCode } from '@spandrel/contract';
import { newId } from '../../ids.js';

const CODE_BY_PARSER_ERROR: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

/** How bytes that are no HTTP were answered. */
export interface RefusedBytes {
  /** The request's id, as the answer has it. */
  id: string;
  status: number;
}

/**
 * Answers what is not HTTP, or came too slowly to be, and closes the connection.
 * @returns the answer's facts; `undefined` when nobody was there to be answered.
 */
export function answerMalformedHttp(
  error: Error & { code?: string; reason?: string },
  socket: Duplex,
): RefusedBytes | undefined {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return undefined;
  }
  const code = CODE_BY_PARSER_ERROR[error.code ?? ''] ?? 'malformed_request';
  const id = newId();
  const body = JSON.stringify(problem(code, detailOf(code, error.reason), id));
  const head = [
    `HTTP/1.1 ${ERRORS[code].status} ${code}`,
    `Content-Type: ${PROBLEM_MEDIA_TYPE}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${id}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  return { id, status: ERRORS[code].status };
}

/** The parser's reason is one of its own texts, and repeats nothing of what came. */
const detailOf = (code: ErrorCode, reason: string | undefined): string =>
  code === 'malformed_request' && reason ? `${ERRORS[code].title}: ${reason}` : ERRORS[code].title;
