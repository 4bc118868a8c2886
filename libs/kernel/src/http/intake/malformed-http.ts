import type { Duplex } from 'node:stream';
import { ERRORS, problem, PROBLEM_MEDIA_TYPE, type ErrorCode } from '@spandrel/contract';
import { lostExportAdvice } from '../../addresses/lost-export.js';
import { newId } from '../../ids.js';

const CODE_BY_PARSER_ERROR: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

/** What the parser says when a client begins in HTTP/2 without asking, as those of gRPC do. */
const HTTP2_BEGAN = 'HPE_PAUSED_H2_UPGRADE';

type ParserError = Error & { code?: string; reason?: string };

/** How bytes that are no HTTP were answered. */
export interface RefusedBytes {
  /** The request's id, as the answer has it. */
  id: string;
  status: number;
  /** Whether they were HTTP/2, whose clients cannot read the answer. */
  isHttp2: boolean;
}

/**
 * Answers what is not HTTP, or came too slowly to be, and closes the connection.
 * @returns the answer's facts; `undefined` when nobody was there to be answered.
 */
export function answerMalformedHttp(error: ParserError, socket: Duplex): RefusedBytes | undefined {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return undefined;
  }
  const code = CODE_BY_PARSER_ERROR[error.code ?? ''] ?? 'malformed_request';
  const id = newId();
  const body = JSON.stringify(problem(code, detailOf(code, error), id));
  const head = [
    `HTTP/1.1 ${ERRORS[code].status} ${code}`,
    `Content-Type: ${PROBLEM_MEDIA_TYPE}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${id}`,
    'X-Content-Type-Options: nosniff',
    'Cache-Control: no-store',
    'Cross-Origin-Resource-Policy: same-origin',
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  return { id, status: ERRORS[code].status, isHttp2: error.code === HTTP2_BEGAN };
}

/** The parser's reason is one of its own texts, and repeats nothing of what came. */
function detailOf(code: ErrorCode, { code: parserCode, reason }: ParserError): string {
  if (code !== 'malformed_request') return ERRORS[code].title;
  const why =
    parserCode === HTTP2_BEGAN ? `it is HTTP/2, and HTTP/1.1 is spoken here; ${lostExportAdvice('grpc')}` : reason;
  return why ? `${ERRORS[code].title}: ${why}` : ERRORS[code].title;
}
