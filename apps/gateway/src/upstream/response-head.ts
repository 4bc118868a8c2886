import { UpstreamError, type ResponseHead } from './upstream-client.js';

const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9]\d{2})(?: (.*))?$/;
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const NOT_ALLOWED = /[^\t\x20-\x7e\x80-\xff\r\n]|\r(?!\n)|(?<!\r)\n/;

/** A parsed head and what it says about the connection. */
export interface ParsedHead extends ResponseHead {
  keepAlive: boolean;
  /** Seconds from `Keep-Alive: timeout=`; `null` when the header does not say. */
  keepAliveSeconds: number | null;
}

/**
 * Parses the head of an HTTP/1 answer, strictly (RFC 9112): what could be read in two ways is refused, since
 * connections are shared by callers.
 * @param text the head in latin1, up to but without the empty line.
 * @param method the request's method, since an answer to HEAD has no body.
 * @throws UpstreamError `protocol`.
 */
export function parseResponseHead(text: string, method: string): ParsedHead {
  if (NOT_ALLOWED.test(text)) throw malformed('a control character');
  let lineEnd = text.indexOf('\r\n');
  if (lineEnd === -1) lineEnd = text.length;
  const statusLine = STATUS_LINE.exec(text.slice(0, lineEnd));
  if (!statusLine) throw malformed('no status line');
  const framing = new Framing(statusLine[1] === '1');
  const headers: string[] = [];
  while (lineEnd < text.length) {
    const start = lineEnd + 2;
    lineEnd = text.indexOf('\r\n', start);
    if (lineEnd === -1) lineEnd = text.length;
    const colon = text.indexOf(':', start);
    if (colon === -1 || colon > lineEnd) throw malformed('a header without a colon');
    const name = text.slice(start, colon);
    if (!TOKEN.test(name)) throw malformed('a header name');
    const value = trimBlanks(text.slice(colon + 1, lineEnd));
    headers.push(name, value);
    framing.header(name, value);
  }
  const status = Number(statusLine[2]);
  return framing.complete({ status, statusMessage: statusLine[3] ?? '', headers }, method);
}

/** Works out from the headers where the body ends and whether the connection lives on. */
class Framing {
  private contentLength: string | null = null;
  /** How often it was said. */
  private contentLengths = 0;
  private transferEncoding: string | null = null;
  private connection = '';
  private keepAliveSeconds: number | null = null;

  constructor(private readonly http11: boolean) {}

  header(name: string, value: string): void {
    const lower = name.toLowerCase();
    if (lower === 'connection') this.connection += `,${value.toLowerCase()}`;
    else if (lower === 'keep-alive') this.keepAliveSeconds = keepAliveSeconds(value);
    else if (lower === 'content-length') this.length(value);
    else if (lower === 'transfer-encoding') {
      const coding = value.toLowerCase();
      this.transferEncoding = this.transferEncoding === null ? coding : `${this.transferEncoding},${coding}`;
    }
  }

  /** Takes a `Content-Length`; a list of equal ones is one (RFC 9112 section 6.3). */
  private length(value: string): void {
    const [first, ...more] = value.split(',').map(trimBlanks);
    if (!/^\d{1,15}$/.test(first!)) throw malformed('a content length');
    this.contentLength ??= first!;
    if ([first, ...more].some((length) => length !== this.contentLength)) throw malformed('two content lengths');
    this.contentLengths += 1 + more.length;
  }

  /** @throws UpstreamError `protocol`: what {@link parseResponseHead} does. */
  complete(head: Pick<ResponseHead, 'status' | 'statusMessage' | 'headers'>, method: string): ParsedHead {
    const coding = this.transferEncoding;
    // Who framed a message in two ways may see its end elsewhere than we do.
    const twice = coding !== null && this.contentLength !== null;
    const kept = this.http11 ? !/(^|,)\s*close\s*(,|$)/.test(this.connection) : /keep-alive/.test(this.connection);
    const keepAlive = kept && !twice;
    const parsed = { ...head, headers: this.oneLength(head.headers), keepAliveSeconds: this.keepAliveSeconds };
    const bodiless = method === 'HEAD' || head.status < 200 || head.status === 204 || head.status === 304;
    if (bodiless) return { ...parsed, keepAlive, framing: 'none', contentLength: null };
    if (coding === 'chunked' && this.http11) return { ...parsed, keepAlive, framing: 'chunked', contentLength: null };
    if (coding !== null && (coding !== 'identity' || !this.http11)) throw malformed('a transfer encoding');
    if (coding !== null || this.contentLength === null) {
      return { ...parsed, keepAlive: false, framing: 'close', contentLength: null };
    }
    return { ...parsed, keepAlive, framing: 'length', contentLength: Number(this.contentLength) };
  }

  /** The headers as they are passed on: without a length beside a transfer encoding, and with one length once. */
  private oneLength(headers: string[]): string[] {
    let keep = this.transferEncoding === null ? 1 : 0;
    if (this.contentLengths <= keep) return headers;
    const kept: string[] = [];
    for (let i = 0; i < headers.length; i += 2) {
      if (headers[i]!.toLowerCase() !== 'content-length') kept.push(headers[i]!, headers[i + 1]!);
      else if (keep-- > 0) kept.push(headers[i]!, this.contentLength!);
    }
    return kept;
  }
}

/** The time that a `Keep-Alive` header names. */
function keepAliveSeconds(value: string): number | null {
  const seconds = /timeout=(\d{1,9})/i.exec(value)?.[1];
  return seconds === undefined ? null : Number(seconds);
}

/** The text without the blanks and tabs around it. */
function trimBlanks(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text.charCodeAt(start))) start++;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

const isBlank = (code: number): boolean => code === 0x20 || code === 0x09;

const malformed = (what: string): UpstreamError =>
  new UpstreamError('protocol', `the upstream's answer is not valid HTTP (${what})`);
