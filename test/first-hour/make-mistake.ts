import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { tempDir, until } from '../support/spandrel.ts';
import type { FirstHour } from './first-hour.ts';
import type { Mistake } from './read-mistakes.ts';

/** What a mistake is answered, in the page's words: with its ports and its names of ids. */
interface MistakeAnswer {
  outcome: string;
  /** What the page may quote: messages of an error, headers, the body; or lines of output. */
  lines: string[];
}

/** Makes a mistake as it is typed; ports, ids and folders of the page stand for those of the test. */
export const makeMistake = (mistake: Mistake, hour: FirstHour): Promise<MistakeAnswer> =>
  mistake.typed.startsWith('curl ') ? request(mistake, hour) : command(mistake, hour);

/** Whether one of the lines is what the page says; `…` stands for what differs from one time to the next. */
export function says(lines: readonly string[], words: string): boolean {
  const parts = words.split('…').map((part) => part.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&'));
  const pattern = new RegExp(`^${parts.join('.*')}$`, 's');
  return lines.some((line) => pattern.test(line));
}

/** curl writes the answer to files; its shell knows `$TRACE` and the other names of the page. */
async function request({ typed }: Mistake, hour: FirstHour): Promise<MistakeAnswer> {
  const out = tempDir();
  const [head, body] = [join(out, 'head'), join(out, 'body')];
  const curl = `curl() { command curl -sS -D '${head}' -o '${body}' "$@"; }`;
  const { output, ended } = run(`${curl}\n${hour.toHere(typed)}`, hour.folder, hour.variables);
  await ended;
  if (!existsSync(head)) throw new Error(`${typed}: ${output()}`);
  const [status = '', ...headers] = hour.toPage(readFileSync(head, 'utf8')).trimEnd().split('\r\n');
  const text = existsSync(body) ? hour.toPage(readFileSync(body, 'utf8')) : '';
  return { outcome: status.split(' ')[1] ?? '', lines: [...messagesOf(text), ...headers] };
}

/**
 * The message of an error, in the API's shape or in one of a provider's, and every value of a JSON body with its path:
 * `result_items[0].error: the connection was refused`.
 */
function messagesOf(body: string): string[] {
  if (!body.startsWith('{')) return [body];
  const { detail, error, ...others } = JSON.parse(body) as {
    detail?: string;
    error?: string | { message?: string } | null;
  };
  const message = typeof error === 'string' ? error : error?.message;
  const values = [...valuesOf({ error, ...others })].map(([path, value]) => `${path}: ${String(value)}`);
  return [detail, message, ...values].filter((text) => text !== undefined);
}

function* valuesOf(value: unknown, path = ''): Generator<[path: string, value: unknown]> {
  if (typeof value !== 'object' || value === null) return yield [path, value];
  for (const [name, member] of Object.entries(value)) {
    const step = Array.isArray(value) ? `[${name}]` : `${path && '.'}${name}`;
    yield* valuesOf(member, `${path}${step}`);
  }
}

/** A command ends by itself, or has started when it has said what the page says. */
async function command({ typed, outcome, words }: Mistake, hour: FirstHour): Promise<MistakeAnswer> {
  const started = outcome === 'starts' ? await hour.otherPlace() : hour.place;
  const { child, output, ended } = run(hour.toHere(typed), resolve('.'), started);
  const lines = (): string[] => hour.toPage(output()).split('\n');
  let code: number | null | undefined;
  void ended.then((ending) => (code = ending));
  const hasSaid = (): boolean => outcome === 'starts' && words.every((each) => says(lines(), each));
  await until(
    () => code !== undefined || hasSaid(),
    20_000,
    () => `${typed}: ${output()}`,
  );
  if (code !== undefined) return { outcome: `exit ${code}`, lines: lines() };
  child.kill('SIGTERM');
  await ended;
  return { outcome: 'starts', lines: lines() };
}

function run(script: string, cwd: string, env: Readonly<Record<string, string>>) {
  const child = spawn('bash', ['-c', script], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
  const ended = new Promise<number | null>((done) => child.on('close', (code) => done(code)));
  return { child, output: () => output, ended };
}
