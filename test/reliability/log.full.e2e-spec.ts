/** Whatever becomes of those who read standard output and standard error: the service answers, and ends when asked to. */
import { openSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startFakeProvider, type FakeProvider } from '../fake-provider/start-fake-provider.ts';
import { readMetrics } from '../operations/metrics-text.ts';
import { answers, startPiped, TestPipe, type AppCommand, type PipedProgram } from '../support/piped-program.ts';
import { freePort } from '../support/ports.ts';
import { THOROUGH } from '../support/repetitions.ts';
import { spawnSpandrel, tempDir, until } from '../support/spandrel.ts';

const COMMANDS: readonly AppCommand[] = ['server', 'gateway', 'serve'];
/** A server and a gateway write in the same way, by their only thread, and `serve` by that of each: the gateway starts soonest. */
const [ONE_THREAD, EACH_WAY]: [readonly ('server' | 'gateway')[], readonly AppCommand[]] = THOROUGH
  ? [['server', 'gateway'], COMMANDS]
  : [['gateway'], ['gateway', 'serve']];
/** Enough that lines fill a pipe, which holds 64 KiB, twice over; when there is time for it, many times. */
const REQUESTS = THOROUGH ? 2_000 : 600;
/** Enough where no line is ever taken: the first one fails as the last one does. */
const REFUSED_LINES = THOROUGH ? 2_000 : 100;
/** What a pipe and a thread of the program keep. */
const KEPT_BYTES_MAX = 4 * 1024 * 1024 + 64 * 1024;
/** Lines of a thousand bytes, of which some do not fit. */
const TALK_LINES = 5_000;
/** Has the main thread write them to standard error once there is a file: as many requests would take seconds. */
const TALK = `
  import { existsSync } from 'node:fs';
  import { isMainThread } from 'node:worker_threads';
  if (isMainThread) check();
  function check() {
    if (!existsSync(process.env.TALK_FILE)) return void setTimeout(check, 10).unref();
    for (let n = 0; n < ${TALK_LINES}; n++) process.stderr.write('talk'.padEnd(999, '.') + '\\n');
  }`;
const STOPPED = { code: 0, signal: null };

let provider: FakeProvider;
beforeAll(async () => {
  provider = await startFakeProvider();
});
afterAll(() => provider?.close());

/** Sends requests on one connection, many at a time. @returns how many were answered, each with an error of its own. */
function ask(url: string, count: number): Promise<number> {
  const AT_ONCE = 50;
  const one = 'GET /no/such HTTP/1.1\r\nHost: localhost\r\n\r\n';
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  let [asked, answered, rest] = [0, 0, ''];
  const more = (): void => {
    if (answered === count) return void socket.destroy();
    if (answered < asked) return;
    const next = Math.min(AT_ONCE, count - asked);
    asked += next;
    socket.write(one.repeat(next));
  };
  socket.setEncoding('latin1').on('data', (text: string) => {
    const parts = (rest + text).split(/HTTP\/1\.1 4\d\d /);
    answered += parts.length - 1;
    // A status line may come in two parts.
    rest = parts.at(-1)!.slice(-16);
    more();
  });
  socket.on('connect', more);
  socket.on('error', reject);
  socket.on('close', () => resolve(answered));
  return promise;
}

async function askEach({ urls }: PipedProgram, count: number): Promise<void> {
  for (const url of urls) expect(await ask(url, count)).toBe(count);
}

async function droppedAt(url: string): Promise<number> {
  const metrics = readMetrics(await (await fetch(`${url}/metrics`)).text());
  const [sample] = metrics.get('spandrel_log_lines_dropped_total')!.samples;
  return Number(sample!.split(' ')[1]);
}

/** Commands with what is closed when they start. All is closed of each way; one of two shows nothing of a command. */
const CLOSED = [
  ['gateway', 'standard output is', { out: 'closed' }],
  ['gateway', 'standard error is', { err: 'closed' }],
  ...EACH_WAY.map((command) => [command, 'both are', { out: 'closed', err: 'closed' }] as const),
] as const;

describe.each(EACH_WAY)('%s', (command) => {
  it('serves on when the reader of its output has gone away, and stops when the next one reads nothing', async () => {
    const pipe = new TestPipe();
    const program = await startPiped(command, { out: pipe.writeFd, err: pipe.writeFd });
    pipe.closeReader();
    await askEach(program, REFUSED_LINES);
    for (const url of program.urls) await until(async () => (await droppedAt(url)) >= REFUSED_LINES);
    pipe.openReader();
    await askEach(program, REQUESTS);
    expect(await program.stop()).toEqual(STOPPED);
    pipe.closeWriter();
    pipe.read();
    // What the pipe took before it was full are whole lines.
    const lines = pipe.lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as { msg: string });
    expect(lines.filter(({ msg }) => msg === 'request').length).toBeGreaterThan(100);
    expect(pipe.text.endsWith('\n')).toBe(true);
  });
});

// What a thread with an app does with a line that fails is shown above and below.
it.each(THOROUGH ? COMMANDS : ONE_THREAD)('%s serves on and stops when both go to a full disk', async (command) => {
  const full = openSync('/dev/full', 'w');
  const program = await startPiped(command, { out: full, err: full });
  await askEach(program, REFUSED_LINES);
  expect(await program.stop()).toEqual(STOPPED);
});

it.each(CLOSED)('%s serves on and stops when %s closed', async (command, _what, closed) => {
  const program = await startPiped(command, closed);
  await askEach(program, REFUSED_LINES);
  expect(await program.stop()).toEqual(STOPPED);
});

describe('serve', () => {
  it('writes all lines up to its end when its reader goes on only then', async () => {
    const pipe = new TestPipe();
    const program = await startPiped('serve', { err: pipe.writeFd });
    pipe.closeWriter();
    await askEach(program, REQUESTS);
    await stopBeforeReading(program, pipe);
    expect(requestsIn(pipe)).toBe(REQUESTS * program.urls.length);
  });
});

describe.each(ONE_THREAD)('lines of a %s that do not fit', (command) => {
  it('are counted one by one, what fits is bounded, and all that fit are there when its reader goes on after the end', async () => {
    const folder = tempDir();
    writeFileSync(join(folder, 'talk.mjs'), TALK);
    const pipe = new TestPipe();
    const env = { NODE_OPTIONS: `--import=${join(folder, 'talk.mjs')}`, TALK_FILE: join(folder, 'talk') };
    const program = await startPiped(command, { err: pipe.writeFd, env });
    pipe.closeWriter();
    const [url] = program.urls as [string];
    writeFileSync(env.TALK_FILE, '');
    await until(async () => (await droppedAt(url)) > 0);
    await askEach(program, REQUESTS);
    expect(await droppedAt(url)).toBeGreaterThan(REQUESTS);
    // From here on somebody reads. Once the line of a later request comes, all before it have come, and nothing is lost.
    let asked = REQUESTS;
    let id: string;
    do {
      id = (await fetch(`${url}/no/such`)).headers.get('x-request-id')!;
      asked++;
      const written = pipe.text.length;
      await until(() => pipe.read() && pipe.text.length > written);
    } while (!pipe.text.includes(id));
    expect(pipe.text.length).toBeLessThanOrEqual(KEPT_BYTES_MAX + (asked - REQUESTS) * 1_000);
    const dropped = await droppedAt(url);
    await askEach(program, REQUESTS);
    await stopBeforeReading(program, pipe);
    const talked = pipe.lines.filter((line) => line.startsWith('talk')).length;
    expect(talked + requestsIn(pipe) + dropped).toBe(TALK_LINES + asked + REQUESTS);
  });
});

/** Stops a program, and reads on only once it serves no more. */
async function stopBeforeReading(program: PipedProgram, pipe: TestPipe): Promise<void> {
  const stopped = program.stop();
  // The gateway ends before the API.
  await until(async () => !(await answers(program.urls.at(-1)!)));
  await pipe.readToEnd();
  expect(await stopped).toEqual(STOPPED);
}

/** How many requests a log reports, but for those of the gateway, which asks the API for masking rules. */
const requestsIn = ({ lines }: TestPipe): number =>
  lines
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as { msg: string; route?: string })
    .filter(({ msg, route }) => msg === 'request' && route !== '/api/masking').length;

describe('a shell pipe whose reader takes one line', () => {
  it('does not end the service, and does not outlive its stop', async () => {
    const pidFile = join(tempDir(), 'pid');
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const shell = spawnSpandrel(['gateway', '--gateway-port', String(port)], { PID_FILE: pidFile }, 'ignore', [
      'sh',
      '-c',
      `sh -c 'echo $$ > "$PID_FILE"; exec "$@"' sh "$@" 2>&1 | head -n 1`,
      'sh',
    ]);
    const ended = new Promise((resolve) => shell.once('exit', resolve));
    await until(() => answers(url), 20_000);
    expect(await ask(url, REFUSED_LINES)).toBe(REFUSED_LINES);
    process.kill(Number(readFileSync(pidFile, 'utf8')), 'SIGTERM');
    await ended;
  });
});

describe('the lines of a start that is refused', () => {
  it.each(COMMANDS)('are there before %s ends', async (command) => {
    const pipe = new TestPipe();
    const child = spawnSpandrel([command], { SPANDREL_LOG_LEVEL: 'loud' }, ['ignore', pipe.writeFd, pipe.writeFd]);
    pipe.closeWriter();
    const ended = new Promise((resolve) => child.once('exit', resolve));
    await pipe.readToEnd();
    expect(await ended).toBe(1);
    expect(pipe.lines.join()).toMatch(/^spandrel: .*log_level/);
  });
});

describe('an error that nobody handles', () => {
  /** Throws, or rejects, in the thread of an app, or the first one, that a file is named for, once there is that file. */
  const FAULTS = `
    import { existsSync } from 'node:fs';
    import { isMainThread } from 'node:worker_threads';
    const app = /apps.(server|gateway)/.exec(process.argv[1])?.[1] ?? 'other';
    const check = setInterval(() => {
      if (!existsSync(process.env.FAULT_FILE + (isMainThread ? 'first' : app))) return;
      clearInterval(check);
      if (process.env.FAULT === 'throw') throw new Error('a fault of ours');
      Promise.reject(new Error('a fault of ours'));
    }, 10).unref();`;

  /** In the only thread of a program, in the first one of `serve`, and in one with an app. */
  const PLACES = [
    ['gateway', 'first', 'reject'],
    ['serve', 'first', 'throw'],
    ['serve', 'server', 'reject'],
  ] as const;
  const OTHERS = [
    ['server', 'first', 'throw'],
    ['serve', 'gateway', 'throw'],
  ] as const;

  it.each([...PLACES, ...(THOROUGH ? OTHERS : [])])(
    'ends a %s (thread %s, %s) with 1 and its stack, after what is under way',
    async (command, thread, kind) => {
      const folder = tempDir();
      writeFileSync(join(folder, 'faults.mjs'), FAULTS);
      const pipe = new TestPipe();
      const env = {
        NODE_OPTIONS: `--import=${join(folder, 'faults.mjs')}`,
        FAULT_FILE: join(folder, 'thread-'),
        FAULT: kind,
        SPANDREL_OPENAI_BASE_URL: provider.url,
      };
      const program = await startPiped(command, { err: pipe.writeFd, env });
      pipe.closeWriter();
      const underWay = command === 'server' ? undefined : chat(program.urls.at(-1)!);
      if (underWay) await until(() => provider.requests.length > 0);
      writeFileSync(join(folder, `thread-${thread}`), '');
      await pipe.readToEnd();
      expect(await program.exited).toEqual({ code: 1, signal: null });
      expect(pipe.text).toMatch(/a fault of ours[^]*faults\.mjs/);
      if (underWay) expect(await underWay).toBe(200);
      provider.requests.length = 0;
    },
  );

  it('is reported and survived when a plugin left it behind', async () => {
    const folder = tempDir();
    writeFileSync(join(folder, 'careless.mjs'), CARELESS);
    const config = join(folder, 'spandrel.yaml');
    writeFileSync(config, 'plugins: [{ use: ./careless.mjs }, { use: openai }, { use: none }]\n');
    const pipe = new TestPipe();
    const env = { SPANDREL_OPENAI_BASE_URL: provider.url };
    const program = await startPiped('gateway', { err: pipe.writeFd, env, args: ['--config', config] });
    pipe.closeWriter();
    expect(await chat(program.urls[0]!)).toBe(200);
    const reported = (): string[] => pipe.lines.filter((line) => line.includes('"plugin":"careless"'));
    await until(
      () => pipe.read() && ['in a timer', 'in a promise'].every((where) => reported().join().includes(where)),
    );
    expect(await chat(program.urls[0]!)).toBe(200);
    const stopped = program.stop();
    await pipe.readToEnd();
    expect(await stopped).toEqual(STOPPED);
  });
});

/** Recognises nothing, and leaves errors behind whenever it is asked. */
const CARELESS = `
export default {
  extensionPoint: 'provider',
  name: 'careless',
  apiVersion: 1,
  config: (z) => z.strictObject({}),
  setup: () => ({
    defaultBaseUrl: null,
    hosts: [],
    recognises: () => {
      setTimeout(() => { throw new Error('in a timer'); });
      Promise.reject(new Error('in a promise'));
      return 'no';
    },
    endpoint: () => undefined,
    errorBody: () => ({}),
    errorMessage: () => undefined,
    chat: { buildRequest() {}, readAnswer() {}, buildModelsRequest() {}, readModels() {} },
  }),
};
`;

/** @returns the status of a call through a gateway whose provider takes its time. */
async function chat(url: string): Promise<number> {
  const answer = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-fake': 'slow:700' },
    body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'hello' }] }),
  });
  await answer.text();
  return answer.status;
}
