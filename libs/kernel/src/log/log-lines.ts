import { isatty } from 'node:tty';
import { LogDestination, type LineSink } from './log-destination.js';
import { prettyLine } from './pretty-line.js';

const STANDARD_ERROR = 2;

/**
 * Where the log and the lines of requests are written to, in the form that is asked for. Both make JSON, an object a line; for
 * people it is read back and written anew, in the same call, so that nothing changes about who waits for what.
 * @param format `null`: pretty where standard error is a terminal, else json.
 * @param sink gets the lines; standard error when left out.
 */
export function logLines(
  format: 'pretty' | 'json' | null,
  sink: LineSink = LogDestination.ofDescriptor(STANDARD_ERROR),
): LineSink {
  const isTerminal = isatty(STANDARD_ERROR);
  if ((format ?? (isTerminal ? 'pretty' : 'json')) === 'json') return sink;
  const hasColors = isTerminal && !process.env['NO_COLOR'] && process.env['TERM'] !== 'dumb';
  return { write: (line) => sink.write(prettyLine(line, hasColors)) };
}
