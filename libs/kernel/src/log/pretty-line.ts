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

/**
 * A line of the log for people: time, level, program, message, `name=value`; the stack of an error further in.
 * @param line an object of JSON; anything else is returned as it is, made safe.
 */
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
