import type { ServerResponse, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { ERRORS, problem, PROBLEM_MEDIA_TYPE, type ErrorCode } from '@spandrel/contract';
import { endLingering } from '@spandrel/http';
import { newId } from '@spandrel/kernel';
import type { Provider } from '@spandrel/plugin-api';

/** How a request was answered, for the log. */
export interface Answered {
  /** The request's id, as an answer of the gateway's own has it. */
  id: string;
  /** 0 while nothing is answered, and where nothing was, since the client had gone. */
  status: number;
}

/** What is said of an error: one sentence for the caller, without secrets. */
export interface GatewayError {
  code: ErrorCode;
  message: string;
  /** When to come again; a second for `unavailable`. */
  retryAfterSeconds?: number | undefined;
}

/** An error the gateway answers itself: in the provider's shape where one is known, so that its client understands. */
interface ErrorAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** @returns an error as {@link answerError} answers it. @param id of the request. */
export function errorAnswer(error: GatewayError, provider: Provider | null, id: string): ErrorAnswer {
  const { code, message, retryAfterSeconds = code === 'unavailable' ? 1 : undefined } = error;
  const { status } = ERRORS[code];
  const shaped = provider && attemptErrorBody(provider, status, message);
  const body = shaped ?? JSON.stringify(problem(code, message, id));
  return {
    status,
    headers: {
      'Content-Type': shaped ? 'application/json' : PROBLEM_MEDIA_TYPE,
      'Content-Length': String(Buffer.byteLength(body)),
      'X-Request-Id': id,
      'X-Content-Type-Options': 'nosniff',
      'Cache-Control': 'no-store',
      ...(retryAfterSeconds !== undefined && { 'Retry-After': String(retryAfterSeconds) }),
    },
    body,
  };
}

/**
 * Answers a request with an error of the gateway. Does nothing when an answer has begun.
 * @param id of the request.
 */
export function answerError(
  res: ServerResponse,
  error: GatewayError,
  provider: Provider | null,
  id = newId(),
): Answered {
  if (res.headersSent || res.destroyed) return { id, status: 0 };
  const { status, headers, body } = errorAnswer(error, provider, id);
  res.writeHead(status, headers);
  res.end(res.req.method === 'HEAD' ? undefined : body);
  return { id, status };
}

/** Answers with an error where there is only a socket, and closes it. */
export function answerErrorOn(socket: Socket, error: GatewayError, provider: Provider | null): Answered {
  const id = newId();
  if (!socket.writable) {
    socket.destroy();
    return { id, status: 0 };
  }
  const { status, headers, body } = errorAnswer(error, provider, id);
  const fields = Object.entries({ ...headers, Connection: 'close' }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`HTTP/1.1 ${status} ${ERRORS[error.code].title}\r\n${fields.join('')}\r\n${body}`);
  endLingering(socket);
  return { id, status };
}

function attemptErrorBody(provider: Provider, status: number, message: string): string | null {
  try {
    return JSON.stringify(provider.errorBody(status, message)) ?? null;
  } catch {
    return null;
  }
}

/**
 * Ends a connection in the middle of an answer, after what has been written to it, so that the client sees that the
 * rest is missing.
 */
export function breakConnection(socket: Socket, { httpVersionMinor }: Pick<IncomingMessage, 'httpVersionMinor'>): void {
  // In HTTP/1.0 the end of the connection is the end of the answer: only a reset shows that the rest is missing.
  if (httpVersionMinor === 0) setImmediate(() => socket.resetAndDestroy());
  else socket.destroySoon();
}
