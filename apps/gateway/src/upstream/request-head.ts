import type { UpstreamRequest } from './upstream-client.js';

/** The head of a request as it goes on the wire, in latin1. */
export function requestHead(request: UpstreamRequest): string {
  const framing = request.body === 'chunked' ? 'Transfer-Encoding: chunked\r\n' : '';
  return `${request.method} ${request.path} HTTP/1.1\r\n${fieldLines(request.headers)}${framing}\r\n`;
}

/** Header or trailer lines. @param fields name, value, name, value … */
export function fieldLines(fields: readonly string[]): string {
  let text = '';
  for (let i = 0; i < fields.length; i += 2) text += `${fields[i]}: ${fields[i + 1]}\r\n`;
  return text;
}
