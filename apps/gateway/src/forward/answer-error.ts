import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { ERRORS, problem, PROBLEM_MEDIA_TYPE, type ErrorCode } from '@spandrel/contract';
import { newId } from '@spandrel/kernel';
import type { Provider } from '@spandrel/plugin-api';

/** That an error was answered, for the log. */
export interface ErrorAnswered {
  /** The request's id, as the answer has it. */
  id: string;
  status: number;
}

/** An error the gateway answers itself: in the provider's shape where one is known, so that its client understands. */
interface ErrorAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** @param message one sentence for the caller, without secrets. */
function errorAnswer(code: ErrorCode, message: string, provider: Provider | null, id: string): ErrorAnswer {
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
      ...(code === 'unavailable' && { 'Retry-After': '1' }),
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
  code: ErrorCode,
  message: string,
  provider: Provider | null,
  id = newId(),
): ErrorAnswered {
  const { status, headers, body } = errorAnswer(code, message, provider, id);
  if (!res.headersSent && !res.destroyed) {
    res.writeHead(status, headers);
    res.end(res.req.method === 'HEAD' ? undefined : body);
  }
  return { id, status };
}

/** Answers with an error where there is only a socket, and closes it. @param more headers. */
export function answerErrorOn(
  socket: Duplex,
  code: ErrorCode,
  message: string,
  provider: Provider | null,
  more: Readonly<Record<string, string>> = {},
): ErrorAnswered {
  const id = newId();
  const { status, headers, body } = errorAnswer(code, message, provider, id);
  if (!socket.writable) {
    socket.destroy();
    return { id, status };
  }
  const fields = Object.entries({ ...headers, ...more, Connection: 'close' }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  socket.end(`HTTP/1.1 ${status} ${ERRORS[code].title}\r\n${fields.join('')}\r\n${body}`);
  return { id, status };
}

function attemptErrorBody(provider: Provider, status: number, message: string): string | null {
  try {
    return JSON.stringify(provider.errorBody(status, message)) ?? null;
  } catch {
    return null;
  }
}
