import { STATUS_CODES, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { ERRORS, problem, PROBLEM_MEDIA_TYPE, type ErrorCode } from '@spandrel/contract';
import { newId, type Logger } from '@spandrel/kernel';
import { lostExportAdvice } from '../misdirected-request.js';
import { hasGoneOut, intakeOf, endLingering, isLingering } from './connection-intake.js';

const CODE_BY_PARSER_ERROR: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

/** What the parser says when a client begins in HTTP/2 without asking, as those of gRPC do. */
const HTTP2_BEGAN = 'HPE_PAUSED_H2_UPGRADE';

type ParserError = Error & { code?: string; reason?: string };

export interface RefusedBytes {
  id: string;
  status: number;
  /** Whether they were HTTP/2, whose clients cannot read the answer. */
  isHttp2: boolean;
}

/**
 * Hears of a `clientError` of Node's server: answers what is not HTTP, or came too slowly, and closes the connection.
 * The answer stands behind those that are still owed. A request that was answered before its body went wrong gets no
 * second one, and one whose answer has begun is cut off.
 * @param answered not called when nobody was there to be answered.
 */
export function refuseMalformed(
  error: ParserError,
  socket: Duplex,
  answered: (refused: RefusedBytes) => void = () => undefined,
): void {
  // Node has a listener of its own on the sockets that it hands over here.
  const connection = socket as Socket;
  if (error.code === 'ECONNRESET') return void connection.destroy();
  // What comes behind the last answer is read, so that the client can read that answer; it need not be HTTP.
  if (isLingering(connection)) return;
  if (!connection.writable) return void connection.destroy();
  const intake = intakeOf(connection);
  if (intake.isRefused) {
    // The parser repeats itself with all that comes. Who has ended its side waits for nothing.
    if (connection.readableEnded) connection.end();
    return;
  }
  intake.isRefused = intake.takesNoMore = true;
  const refuse = (): void => {
    if (!connection.writable) return;
    answered(writeRefusal(error, connection));
    endLingering(connection);
  };
  const { newest } = intake;
  if (!newest || (hasGoneOut(newest) && newest.req.complete)) refuse();
  else if (hasGoneOut(newest)) endLingering(connection);
  else if (newest.req.complete) newest.once('close', refuse);
  else if (newest.socket) refuseBodyOf(newest, connection, refuse);
  else newest.once('socket', () => refuseBodyOf(newest, connection, refuse));
}

function refuseBodyOf(answer: ServerResponse, connection: Socket, refuse: () => void): void {
  if (!answer.headersSent) refuse();
  else if (answer.writableEnded) answer.once('close', () => endLingering(connection));
  else connection.destroy();
}

function writeRefusal(error: ParserError, socket: Socket): RefusedBytes {
  const code = CODE_BY_PARSER_ERROR[error.code ?? ''] ?? 'malformed_request';
  const { status } = ERRORS[code];
  const id = newId();
  const body = JSON.stringify(problem(code, detailOf(code, error), id));
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `Content-Type: ${PROBLEM_MEDIA_TYPE}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${id}`,
    'X-Content-Type-Options: nosniff',
    'Cache-Control: no-store',
    'Cross-Origin-Resource-Policy: same-origin',
    'Connection: close',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  return { id, status, isHttp2: error.code === HTTP2_BEGAN };
}

/** The parser's reason is one of its own texts, and repeats nothing of what came. */
function detailOf(code: ErrorCode, { code: parserCode, reason }: ParserError): string {
  if (code !== 'malformed_request') return ERRORS[code].title;
  const why =
    parserCode === HTTP2_BEGAN ? `it is HTTP/2, and HTTP/1.1 is spoken here; ${lostExportAdvice('grpc')}` : reason;
  return why ? `${ERRORS[code].title}: ${why}` : ERRORS[code].title;
}

/** Warns the operator once that somebody speaks HTTP/2: clients of gRPC cannot read the answer. */
export class Http2Notice {
  private isGiven = false;

  constructor(private readonly logger: Logger) {}

  notice(): void {
    if (this.isGiven) return;
    this.isGiven = true;
    this.logger.warn(
      `a client speaks HTTP/2, which is not served, probably an exporter of gRPC: ${lostExportAdvice('grpc')}`,
    );
  }
}
