import { isatty } from 'node:tty';
import { existsSync, readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { pino, type Logger, type LoggerOptions } from 'pino';
import { LogDestination, type LineSink } from './log-destination.js';

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

/** Where the log and the lines of requests go. @param format `null`: pretty where standard error is a terminal. */
export function logLines(format: 'pretty' | 'json' | null, sink: LineSink = LogDestination.ofDescriptor(2)): LineSink {
  const isTerminal = isatty(2);
  if ((format ?? (isTerminal ? 'pretty' : 'json')) === 'json') return sink;
  const hasColors = isTerminal && !process.env['NO_COLOR'] && process.env['TERM'] !== 'dumb';
  return { write: (line) => sink.write(prettyLine(line, hasColors)) };
}

/** A place in a stack: `at run (file:///…/main.js:12:34)`, with or without the parentheses. */
const PLACE = /(file:\/\/\/(?:(?!file:)[^\s()])+?):(\d+):(\d+)/g;

const maps = new Map<string, SourceMap | undefined>();

/** A stack with the files of this repository. Maps are read with a file's first error: at the start they cost 80 MB. */
export const sourceStack = (stack: string): string =>
  stack.replace(PLACE, (place, url: string, line: string, column: string) => {
    const entry = mapOf(url)?.findEntry(Number(line) - 1, Number(column) - 1);
    if (!entry || !('originalSource' in entry)) return place;
    const source = fileURLToPath(new URL(entry.originalSource, url));
    return `${pathToFileURL(source).href}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
  });

function mapOf(url: string): SourceMap | undefined {
  if (maps.has(url)) return maps.get(url);
  let map: SourceMap | undefined;
  try {
    const file = `${fileURLToPath(url)}.map`;
    if (existsSync(file)) map = new SourceMap(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    // The places stay as they are.
  }
  maps.set(url, map);
  return map;
}

/** Members of a line that are shown in places of their own, or say nothing to a person. */
const SHOWN_ELSEWHERE = new Set(['level', 'time', 'pid', 'name', 'msg', 'err']);

const LEVEL_COLORS: Readonly<Record<string, string>> = {
  trace: '90',
  debug: '90',
  info: '32',
  warn: '33',
  error: '31',
  fatal: '31;1',
};

/** What a terminal would take for a command or show other than it is; a caller may have put it into what is logged. */
// eslint-disable-next-line no-control-regex
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/g;

const safe = (text: string): string =>
  text.replace(UNSAFE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);

const safeLines = (text: string): string => text.split(/\r?\n/).map(safe).join('\n');

/** A line of the log for people; what is no object of JSON is returned as it is, made safe. */
export function prettyLine(line: string, hasColors: boolean): string {
  const entry = parse(line);
  if (!entry) return `${safeLines(line.trimEnd())}\n`;
  const { level, time, name, msg, err } = entry as Record<string, string | undefined> & { err?: unknown };
  const paint = (text: string, color: string): string => (hasColors ? `\u001b[${color}m${text}\u001b[0m` : text);
  const head = [
    paint(clockTime(time), '90'),
    paint(String(level).toUpperCase().padEnd(5), LEVEL_COLORS[String(level)] ?? '0'),
    paint(safe(String(name)).padEnd(7), '36'),
    safe(String(msg ?? '')),
  ];
  const fields = Object.entries(entry)
    .filter(([key]) => !SHOWN_ELSEWHERE.has(key))
    .map(([key, value]) => paint(`${safe(key)}=`, '90') + shown(value));
  return `${[...head, ...fields].join(' ')}${errorLines(err)}\n`;
}

function parse(line: string): Record<string, unknown> | undefined {
  try {
    const entry: unknown = JSON.parse(line);
    return typeof entry === 'object' && entry !== null ? (entry as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function clockTime(time: string | undefined): string {
  const at = new Date(String(time));
  if (Number.isNaN(at.getTime())) return safe(String(time));
  const two = (part: number): string => String(part).padStart(2, '0');
  const seconds = `${two(at.getSeconds())}.${String(at.getMilliseconds()).padStart(3, '0')}`;
  return `${two(at.getHours())}:${two(at.getMinutes())}:${seconds}`;
}

const shown = (value: unknown): string =>
  typeof value === 'string' && /^[^\s"=]+$/.test(value) ? safe(value) : safe(JSON.stringify(value));

function errorLines(err: unknown): string {
  if (err === undefined) return '';
  const { stack, ...rest } = Object(err) as { stack?: unknown; type?: unknown; message?: unknown };
  const { type: _type, message: _message, ...others } = rest;
  const text = typeof stack === 'string' ? stack : JSON.stringify(err);
  const more = typeof stack === 'string' && Object.keys(others).length > 0 ? `\n${JSON.stringify(others)}` : '';
  return `\n${safeLines(text + more).replace(/^/gm, '    ')}`;
}
