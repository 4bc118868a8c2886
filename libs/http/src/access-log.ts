import { pino } from 'pino';
import type { LineSink } from '@spandrel/kernel';

export interface AccessLine {
  /** The id that `X-Request-Id` and the `request_id` of an error show. */
  request_id: string;
  method?: string;
  /** The pattern of the route, such as `/api/traces/:id`. */
  route?: string;
  /** The route with the ids of the request in it, see {@link pathOf}. */
  path?: string | undefined;
  /** Status of the answer; 499 when the client left before there was one. */
  status: number;
  duration_ms?: number;
  /** Announced length of the request's and of the answer's body; absent when it was not known beforehand. */
  bytes_in?: number | undefined;
  bytes_out?: number | undefined;
  remote_address?: string | undefined;
  aborted?: true | undefined;
  /** An event stream, which ends when its client leaves. */
  stream?: true | undefined;
}

const MADE_ID = /^[0-9A-HJKMNP-TV-Z]{26}$/;

/** The path as the log shows it: the route with ids that the service made; other text may be a misplaced secret. */
export const pathOf = (route: string, params: Readonly<Record<string, unknown>>): string => {
  if (!route.includes(':')) return route;
  return route.replace(/:(\w+)/g, (placeholder, name: string) => {
    const value = params[name];
    return typeof value === 'string' && MADE_ID.test(value) ? value : placeholder;
  });
};

/** A duration as the log shows it: milliseconds to the microsecond. */
export const logMs = (ms: number): number => Math.round(ms * 1_000) / 1_000;

/** The lines of requests: structured, one a request. They hold nothing that would have to be redacted. */
export class AccessLog<Line extends object = AccessLine> {
  private readonly least: number;

  /** @param level least level written. @param name which program writes (`server`, `gateway`). */
  constructor(
    level: string,
    private readonly name: string,
    private readonly sink: LineSink,
  ) {
    this.least = pino.levels.values[level] ?? Infinity;
  }

  /** @param isQuiet true for a health check or a scrape: written at level `debug`. */
  request(line: Line, isQuiet: boolean): void {
    const level = isQuiet ? 'debug' : 'info';
    if (pino.levels.values[level]! < this.least) return;
    // The form is that of the logger's lines. The logger itself takes three times as long, as it looks at each field.
    const head = { level, time: new Date().toISOString(), pid: process.pid, name: this.name };
    this.sink.write(`${JSON.stringify({ ...head, ...line, msg: 'request' })}\n`);
  }
}
