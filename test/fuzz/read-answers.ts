import { STATUS_CODES } from 'node:http';

/** An answer as it stands in the bytes of a connection. */
export interface ReadAnswer {
  status: number;
  /** Head and body, as latin1; without the sizes of chunks. The head alone for a 101: what follows may be an echo. */
  text: string;
  /** Whether its end has come. */
  whole: boolean;
}

/** All that a server has said on a connection. */
export interface ReadBytes {
  /** Final answers in order; 101 is the last one, since what follows is no longer HTTP. */
  answers: ReadAnswer[];
  interim: number;
  /** What stands where an answer should begin, and is none. */
  fault?: string;
}

/**
 * Takes the bytes of a connection apart.
 * @param bytes what came, as latin1.
 * @param methods of the requests in order, since an answer to HEAD has no body.
 * @param ended whether the server has closed: what has no length ends there.
 */
export function readAnswers(bytes: string, methods: readonly string[], ended: boolean): ReadBytes {
  const answers: ReadAnswer[] = [];
  let interim = 0;
  for (let at = 0; at < bytes.length;) {
    const headEnd = bytes.indexOf('\r\n\r\n', at);
    const text = bytes.slice(at, headEnd === -1 ? at + 16 : headEnd + 4);
    if (headEnd === -1 && ('HTTP/1.1 '.startsWith(text.slice(0, 9)) || /^HTTP\/1\.[01] /.test(text))) break;
    const head = headEnd === -1 ? null : /^HTTP\/1\.[01] (\d{3})[^\r\n]*\r\n(?:[^\r\n]+\r\n)*\r\n$/.exec(text);
    if (head === null) return { answers, interim, fault: bytes.slice(at, at + 300) };
    const status = Number(head[1]);
    const bodyAt = at + head[0].length;
    if (status < 200 && status !== 101) {
      interim++;
      at = bodyAt;
      continue;
    }
    const end = status === 101 ? bytes.length : bodyEnd(bytes, bodyAt, head[0], status, methods[answers.length], ended);
    const body = bytes.slice(bodyAt, end ?? bytes.length);
    const shown = status === 101 ? '' : isChunked(head[0]) ? joined(body) : body;
    answers.push({ status, text: head[0] + shown, whole: end !== null });
    if (end === null) break;
    at = end;
  }
  return { answers, interim };
}

/** Where a body ends; `null` while its end has not come. */
function bodyEnd(
  bytes: string,
  at: number,
  head: string,
  status: number,
  method: string | undefined,
  ended: boolean,
): number | null {
  if (status === 204 || status === 304) return at;
  // Bytes that are no HTTP are refused with a body, whatever their method would have been, and with the end of the connection.
  if (method === 'HEAD' && !(status >= 400 && /^connection: *close/im.test(head) && bytes.length > at)) return at;
  if (isChunked(head)) return chunkedEnd(bytes, at);
  const length = /^content-length:\s*(\d+)\s*$/im.exec(head)?.[1];
  if (length === undefined) return ended ? bytes.length : null;
  return at + Number(length) <= bytes.length ? at + Number(length) : null;
}

const isChunked = (head: string): boolean => /^transfer-encoding:.*\bchunked\s*$/im.test(head);

/** The bytes of the chunks, up to what is none. */
function joined(body: string): string {
  let text = '';
  for (let at = 0; at < body.length;) {
    const line = body.indexOf('\r\n', at);
    const size = line === -1 ? Number.NaN : Number.parseInt(body.slice(at, line), 16);
    if (!(size > 0)) return text + body.slice(at);
    text += body.slice(line + 2, line + 2 + size);
    at = line + 4 + size;
  }
  return text;
}

function chunkedEnd(bytes: string, from: number): number | null {
  for (let at = from; ;) {
    const line = bytes.indexOf('\r\n', at);
    if (line === -1) return null;
    const size = Number.parseInt(bytes.slice(at, line), 16);
    if (Number.isNaN(size)) return null;
    at = line + 2;
    if (size === 0) {
      const end = bytes.startsWith('\r\n', at) ? at : bytes.indexOf('\r\n\r\n', at) + 2;
      return end < at || bytes.length < end + 2 ? null : end + 2;
    }
    at += size + 2;
    if (at > bytes.length) return null;
  }
}

/** A status as the summary has it: `404 Not Found`. */
export const nameOfStatus = (status: number): string => `${status} ${STATUS_CODES[status] ?? ''}`.trim();
