import { isatty } from 'node:tty';
import { pino, type Logger, type LoggerOptions } from 'pino';
import { LogDestination, type LineSink } from './log-destination.js';
import { sourceStack } from './source-stack.js';
import { prettyLine } from './pretty-line.js';

export type { Logger } from 'pino';

/** Injection token of the process's {@link Logger}. */
export const LOGGER = Symbol('logger');

/** Names whose values never reach a log, at any of the first levels of a line's fields. */
const SECRET_NAMES = [
  'authorization',
  'api_key',
  'apiKey',
  'key',
  'token',
  'secret',
  'password',
  'cookie',
  'x-api-key',
  'x-spandrel-key',
];

/** The structured log: one JSON line an entry. @param name which process part writes (`server`, `gateway`). */
export function createLogger(
  level: string,
  name: string,
  destination: LineSink = LogDestination.ofDescriptor(2),
): Logger {
  const options: LoggerOptions = {
    name,
    level,
    base: { pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: errorWithSources },
    formatters: { level: (label) => ({ level: label }) },
    redact: {
      paths: SECRET_NAMES.flatMap((secret) => [`["${secret}"]`, `*["${secret}"]`, `*.*["${secret}"]`]),
      censor: '[redacted]',
    },
  };
  return pino(options, destination);
}

function errorWithSources(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const serialized = pino.stdSerializers.err(error);
  serialized.stack = sourceStack(serialized.stack);
  return serialized;
}

/**
 * Where the log and the lines of requests go. Both make JSON; for people it is read back and written again.
 * @param format `null`: pretty where standard error is a terminal, else json.
 */
export function logLines(format: 'pretty' | 'json' | null, sink: LineSink = LogDestination.ofDescriptor(2)): LineSink {
  const isTerminal = isatty(2);
  if ((format ?? (isTerminal ? 'pretty' : 'json')) === 'json') return sink;
  const hasColors = isTerminal && !process.env['NO_COLOR'] && process.env['TERM'] !== 'dumb';
  return { write: (line) => sink.write(prettyLine(line, hasColors)) };
}
