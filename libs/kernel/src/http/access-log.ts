import { pino, type DestinationStream, type LoggerOptions } from 'pino';
import { lineOptions } from '../logger.js';

/** What the log says of a request: no header, no query string, no body. */
export interface AccessLine {
  /** As `X-Request-Id` and the `request_id` of an error have it. */
  request_id: string;
  method?: string;
  /** The pattern of the route, such as `/api/traces/:id`. */
  route?: string;
  /** The route with the ids of the request in it, see {@link pathOf}. */
  path?: string;
  /** Of the answer; 499 when the client left before there was one. */
  status: number;
  duration_ms?: number;
  /** Announced length of the request's and of the answer's body; absent when it was not known beforehand. */
  bytes_in?: number | undefined;
  bytes_out?: number | undefined;
  remote_address?: string | undefined;
  /** The client left before the answer was whole. */
  aborted?: true;
  /** An event stream, which ends when its client leaves. */
  stream?: true;
}

/** How long lines wait for others to be written with, in milliseconds and bytes. */
const FLUSH_MS = 1_000;
const FLUSH_BYTES = 2_048;
/** What one write takes: no more than a pipe takes as a whole, so that lines of other threads do not get between. */
const WRITE_BYTES_MAX = 4_096;
/** What waits at most when nobody reads the log; beyond it lines are lost rather than memory. */
const WAITING_BYTES_MAX = 4 * 1024 * 1024;

/** What the service makes ids like. */
const MADE_ID = /^[0-9A-HJKMNP-TV-Z]{26}$/;

/**
 * The path of a request as the log shows it: its route, with the ids that the service made. Anything else in a path is
 * text of the caller's, which may be a secret in the wrong place.
 */
export const pathOf = (route: string, params: Readonly<Record<string, unknown>>): string =>
  route.replace(/:(\w+)/g, (placeholder, name: string) => {
    const value = params[name];
    return typeof value === 'string' && MADE_ID.test(value) ? value : placeholder;
  });

/** A duration as the log shows it: milliseconds to the microsecond. */
export const logMs = (ms: number): number => Math.round(ms * 1_000) / 1_000;

/** The lines of requests: structured, one a request, written in bulk. */
export class AccessLog<Line extends object = AccessLine> {
  private readonly logger;
  private readonly stopped: () => void;

  /**
   * @param level least level written. Requests are `info`, those of health checks and scrapes `debug`.
   * @param name which program writes (`server`, `gateway`).
   * @param destination standard error when left out: then lines are gathered for a second at most.
   */
  constructor(level: string, name: string, destination?: DestinationStream) {
    // Lines hold nothing that could be redacted, which would cost more than the line.
    const options: LoggerOptions = lineOptions(level, name);
    if (destination) {
      this.logger = pino(options, destination);
      this.stopped = () => undefined;
      return;
    }
    const gathered = gatheredStderr();
    this.logger = pino(options, gathered.stream);
    this.stopped = gathered.stop;
  }

  /** @param isQuiet of a health check or a scrape: told at level `debug`. */
  request(line: Line, isQuiet: boolean): void {
    if (isQuiet) this.logger.debug(line as object, 'request');
    else this.logger.info(line as object, 'request');
  }

  /** Writes what waits; lines that come later may wait for the end of the process. */
  close(): void {
    this.stopped();
  }
}

/** Standard error, written to in bulk: at once when enough waits, every second, and at the end of the process. */
function gatheredStderr(): { stream: DestinationStream; stop: () => void } {
  const stream = pino.destination({
    fd: 2,
    sync: false,
    minLength: FLUSH_BYTES,
    maxWrite: WRITE_BYTES_MAX,
    maxLength: WAITING_BYTES_MAX,
  });
  // Nobody reads the log any more: no reason to end.
  stream.on('error', () => undefined);
  const flush = setInterval(() => stream.flush(() => undefined), FLUSH_MS).unref();
  const flushNow = (): void => {
    try {
      stream.flushSync();
    } catch {
      // Standard error is closed, or takes no more now.
    }
  };
  process.once('exit', flushNow);
  return {
    stream,
    stop: () => {
      clearInterval(flush);
      flushNow();
    },
  };
}
