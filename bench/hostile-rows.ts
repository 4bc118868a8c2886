import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { atEnd } from '../test/support/at-end.ts';
import { LOOP_PROBE, loopHeldMs } from '../test/support/loop-watch.ts';
import { freePorts } from '../test/support/ports.ts';
import { hostileApiCalls, hostileGatewayCalls, type HostileCall, type Prepared } from './hostile-calls.ts';
import { Others, type SmallCall, type Waited } from './hostile-others.ts';
import { goal, heading, row } from './report.ts';

/** What came of a hostile call. */
interface HostileRow {
  name: string;
  /** Status of the answer; 0 when the connection ended without one, {@link LATE} when the time was over. */
  status: number;
  /** The longest hold of the event loop, in milliseconds of CPU. */
  heldMs: number;
  /** What others waited meanwhile. */
  p99: P99;
  /** Why the program said nothing. */
  failure?: string;
}

/** What one in a hundred of others' calls took at least, in milliseconds; see `Waited`. */
interface P99 {
  millis: number;
  withCore: number;
}

/** The calls to one program. */
interface HostileFigures {
  /** What others wait when nothing else is done. */
  idle: P99;
  /** What they wait while hostile calls come one after the other, all of them together. */
  meanwhile: P99;
  /** What they wait while other processes keep cores of the machine busy and nothing at all is done to the program. */
  besideBusyCores: P99[];
  rows: HostileRow[];
}

/** Before each call, so that what others wait is compared within the same seconds of a machine that is never quiet. */
const IDLE_MS = 100;
/** What one sending of a call may take; its connection is ended then. */
const CALL_MS_MAX = 20_000;
/** What a program may take to say how long it was held, and others to say what they waited. */
const SAID_MS_MAX = 10_000;
/** What follows an answer: recordings are masked and delivered, capture rules look at spans. */
const AFTER_MS = 500;
/** How often each call is made: the longest hold counts. */
const TIMES: Record<Program, number> = { api: 2, gateway: 2, 'gateway with a spool': 1 };
const WARM_UP_SPANS = 2_000;
const LATE = -1;
/** How long others are watched beside busy cores. */
const BUSY_MS = 5_000;
/** A connection on which nothing comes for so long is over. */
const SILENCE_MS = 1_500;

/** The programs that are called; the last keeps what it records on the disk. */
const PROGRAMS = ['api', 'gateway', 'gateway with a spool'] as const;
type Program = (typeof PROGRAMS)[number];
export type HostileFiguresOf = Partial<Record<Program, HostileFigures>>;

/**
 * Every hostile call against a server and two gateways of their own, masking and capture on. A row is printed as soon as it is known.
 * @param only a regular expression for the calls that are made, by program and name (`gateway: 10,000 levels`); all
 *   when left out.
 */
export async function measureHostile(only = ''): Promise<HostileFiguresOf> {
  const folder = mkdtempSync(join(tmpdir(), 'spandrel-bench-'));
  const [api, gateway, spooling, upstream, others] = await freePorts(5);
  const apiUrl = `http://127.0.0.1:${api}`;
  const programs: ChildProcess[] = [];
  const killAll = (): void => {
    for (const program of programs) program.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  };
  atEnd(killAll);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));
  const start = async (url: string, args: string[], env: NodeJS.ProcessEnv = {}): Promise<ChildProcess> => {
    const program = spawn(process.execPath, args, {
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      env: {
        ...process.env,
        NODE_OPTIONS: LOOP_PROBE,
        SPANDREL_API_URL: apiUrl,
        SPANDREL_OPENAI_BASE_URL: `http://127.0.0.1:${upstream}`,
        SPANDREL_ANTHROPIC_BASE_URL: `http://127.0.0.1:${others}`,
        ...env,
      },
    });
    programs.push(program);
    while (!(await fetch(url).catch(() => undefined))) {
      if (program.exitCode !== null) throw new Error(`${args.join(' ')} ended with ${program.exitCode}`);
      await sleep(50);
    }
    return program;
  };
  try {
    const startProvider = (port: number | undefined) =>
      start(`http://127.0.0.1:${port}`, ['bench/peers/hostile-upstream.ts', String(port)]);
    await startProvider(upstream);
    const provider = await startProvider(others);
    const server = await start(`${apiUrl}/readyz`, [
      'dist/apps/server/src/main.js',
      ...['--port', String(api), '--data-dir', join(folder, 'data')],
    ]);
    const figures: HostileFiguresOf = {};
    const wanted = (program: Program, calls: readonly HostileCall[]): HostileCall[] =>
      calls.filter(({ name }) => new RegExp(only).test(`${program}: ${name}`));
    const apiCalls = wanted('api', hostileApiCalls(await prepare(apiUrl, `http://127.0.0.1:${upstream}/v1`)));
    if (apiCalls.length > 0) {
      heading('Hostile calls to the api');
      const body = '{"trace_id":"t","name":"small","input":"hello"}';
      const small = { url: `${apiUrl}/api/spans`, body, pids: [server.pid!] };
      figures.api = await measure(server, apiUrl, small, apiCalls, TIMES.api);
    }
    for (const [name, port, env] of [
      ['gateway', gateway, {}],
      ['gateway with a spool', spooling, { SPANDREL_SPOOL_DIR: join(folder, 'spool') }],
    ] as const) {
      const calls = wanted(name, hostileGatewayCalls());
      if (calls.length === 0) continue;
      heading(`Hostile calls to the ${name}`);
      const url = `http://127.0.0.1:${port}`;
      const ports = ['--port', String(api), '--gateway-port', String(port)];
      const program = await start(`${url}/readyz`, ['dist/apps/gateway/src/main.js', ...ports], env);
      // They go to another provider: that of the hostile calls has enough to do with them.
      const body = '{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"hello"}]}';
      const small = { url: `${url}/v1/messages`, body, pids: [program.pid!, provider.pid!] };
      figures[name] = await measure(program, url, small, calls, TIMES[name]);
      program.kill('SIGKILL');
    }
    return figures;
  } finally {
    killAll();
  }
}

async function measure(
  program: ChildProcess,
  baseUrl: string,
  small: SmallCall,
  calls: readonly HostileCall[],
  times: number,
): Promise<HostileFigures> {
  const others = new Others(small);
  try {
    // Both the program and its peers run compiled code by then.
    for (let seen = 0; seen < WARM_UP_SPANS; seen += (await others.take()).millis.length) await sleep(200);
    const idle: Waited[] = [];
    const meanwhile: Waited[] = [];
    const rows: HostileRow[] = [];
    for (const call of calls) {
      const seen: HostileRow = { name: call.name, status: 0, heldMs: 0, p99: p99([]) };
      const waited: Waited[] = [];
      try {
        for (let time = 0; time < times; time++) {
          const body = (call.raw ?? call.body)?.();
          await others.take();
          await sleep(IDLE_MS);
          idle.push(await inTime(others.take()));
          await inTime(loopHeldMs(program));
          seen.status = await (call.raw ? sendRaw(baseUrl, body!) : send(baseUrl, call, body));
          await sleep(AFTER_MS);
          seen.heldMs = Math.max(seen.heldMs, await inTime(loopHeldMs(program)));
          waited.push(await inTime(others.take()));
        }
      } catch (error) {
        seen.failure = (error as Error).message;
        seen.heldMs = NaN;
      }
      seen.p99 = p99(waited);
      meanwhile.push(...waited);
      rows.push(seen);
      row(
        seen.name.padEnd(40),
        seen.heldMs.toFixed(0),
        seen.p99.millis.toFixed(1),
        seen.failure ?? String(seen.status),
      );
      if (program.exitCode !== null || program.signalCode !== null) break;
    }
    const besideBusyCores = [];
    for (let cores = 1; cores <= availableParallelism(); cores++) {
      besideBusyCores.push(await waitedBesideBusyCores(others, cores));
    }
    return { idle: p99(idle), meanwhile: p99(meanwhile), besideBusyCores, rows };
  } finally {
    await others.stop();
  }
}

/** What others wait while processes of a lower priority, as that of task threads, do nothing but count. */
async function waitedBesideBusyCores(others: Others, cores: number): Promise<P99> {
  const counting = Array.from({ length: cores }, () =>
    spawn('nice', ['-n', '10', process.execPath, '-e', 'for (;;);'], { stdio: 'ignore' }),
  );
  try {
    await sleep(IDLE_MS * 5);
    await others.take();
    await sleep(BUSY_MS);
    return p99([await others.take()]);
  } finally {
    for (const process of counting) process.kill('SIGKILL');
  }
}

/** Prints the table of docs/reliability.md#hostile-bodies, the longest holds first, and notes the goals. */
export function reportHostile(figures: HostileFiguresOf): void {
  for (const [program, { idle, meanwhile, besideBusyCores, rows }] of Object.entries(figures)) {
    heading(
      `Hostile calls to the ${program}: others' p99 is ${idle.millis.toFixed(1)} ms when nothing else is done, ` +
        `${meanwhile.millis.toFixed(1)} ms meanwhile`,
    );
    besideBusyCores.forEach(({ millis }, n) => {
      row(`beside ${n + 1} busy cores`, `${millis.toFixed(1)} ms`, `${(millis / idle.millis).toFixed(1)} × idle`);
    });
    row('', 'held ms', "others' p99", '× idle', 'with a core', 'status');
    for (const { name, status, heldMs, p99: waited, failure } of rows.toSorted((a, b) => orLast(b) - orLast(a))) {
      row(
        name.padEnd(40),
        heldMs.toFixed(0),
        waited.millis.toFixed(1),
        (waited.millis / idle.millis).toFixed(1),
        (waited.withCore / idle.withCore).toFixed(1),
        failure ?? (status === LATE ? 'late' : String(status)),
      );
    }
    const most = (figure: (row: HostileRow) => number): number =>
      Math.max(...rows.map(figure).filter((n) => !Number.isNaN(n)));
    const failed = rows.filter(({ failure, status }) => failure !== undefined || status === LATE);
    goal(`hostile, ${program}: longest hold, ms`, most(({ heldMs }) => heldMs), '<=', HELD_MS_MAX); // prettier-ignore
    goal(`hostile, ${program}: others' p99 / idle`, meanwhile.millis / idle.millis, '<', 2);
    goal(`hostile, ${program}: the same, with a core`, meanwhile.withCore / idle.withCore, '<', 2);
    goal(
      `hostile, ${program}: others' p99 / idle, worst call`,
      most(({ p99: { millis } }) => millis) / idle.millis,
      '<',
      2,
    );
    goal(`hostile, ${program}: calls without an answer in time`, failed.length, '<=', 0);
  }
}

const HELD_MS_MAX = 50;
const orLast = ({ heldMs }: HostileRow): number => (Number.isNaN(heldMs) ? Infinity : heldMs);

/** @throws when the answer takes longer than {@link SAID_MS_MAX}. */
async function inTime<Said>(said: Promise<Said>): Promise<Said> {
  said.catch(() => undefined);
  const stop = new AbortController();
  try {
    return await Promise.race([
      said,
      sleep(SAID_MS_MAX, undefined, { signal: stop.signal }).then(() => {
        throw new Error(`nothing was heard for ${SAID_MS_MAX / 1_000} s`);
      }),
    ]);
  } finally {
    stop.abort();
  }
}

function p99(waited: readonly Waited[]): P99 {
  const of = (millis: readonly number[]): number =>
    millis.toSorted((a, b) => a - b)[Math.floor(millis.length * 0.99)] ?? NaN;
  return {
    millis: of(waited.flatMap(({ millis }) => millis)),
    withCore: of(waited.flatMap(({ withCore }) => withCore)),
  };
}

/** Sends a call and reads its answer. @returns its status; 0 without one. */
function send(
  baseUrl: string,
  { method = 'POST', path, headers = {} }: HostileCall,
  body: string | Buffer | undefined,
): Promise<number> {
  return new Promise((resolve) => {
    const sent = request(
      baseUrl + path,
      {
        method,
        agent: false,
        headers: { 'content-type': 'application/json', ...(typeof headers === 'function' ? headers() : headers) },
      },
      (answer) => {
        answer.resume().on('close', () => resolve(answer.statusCode!));
      },
    );
    sent.on('error', () => resolve(0)).on('close', () => clearTimeout(late));
    const late = setTimeout(() => {
      resolve(LATE);
      sent.destroy();
    }, CALL_MS_MAX);
    sent.end(body);
  });
}

/** Sends bytes on a connection of their own and reads what comes. @returns the status of the last answer; 0 without one. */
function sendRaw(baseUrl: string, bytes: string | Buffer): Promise<number> {
  return new Promise((resolve) => {
    const { hostname, port } = new URL(baseUrl);
    const socket = connect(Number(port), hostname);
    let status = 0;
    const end = (): void => void socket.destroy();
    const late = setTimeout(() => {
      status = LATE;
      end();
    }, CALL_MS_MAX);
    socket.setTimeout(SILENCE_MS, end);
    socket.on('data', (piece) => {
      const last = piece
        .toString('latin1')
        .match(/HTTP\/1\.1 (\d{3})/g)
        ?.at(-1);
      if (last) status = Number(last.slice(-3));
    });
    socket.on('error', () => undefined).on('end', end);
    socket.on('close', () => {
      clearTimeout(late);
      resolve(status);
    });
    socket.write(bytes);
  });
}

/** A trace, masking rules, a dataset with a capture rule, an external run, and a trace of ten spans of 9 MB. */
async function prepare(apiUrl: string, providerUrl: string): Promise<Prepared> {
  const ask = async (method: string, path: string, body: unknown): Promise<{ id: string }> => {
    const answer = await fetch(apiUrl + path, {
      method,
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify(body),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return JSON.parse(text) as { id: string };
  };
  const huge = await ask('POST', '/api/traces', {});
  for (let n = 0; n < 10; n++) {
    const input = n % 2 === 0 ? 'wave '.repeat(1_800_000) : Array.from({ length: 400_000 }, (_, k) => k);
    await ask('POST', '/api/spans', { trace_id: huge.id, name: 'huge', input });
  }
  await ask('POST', '/api/traces', { id: 't' });
  const rules = ['email', 'phone', 'card', 'iban', 'ip', 'secret'].map((masker) => ({ masker }));
  await ask('PUT', '/api/projects/local/masking', { rules });
  const metadata = Object.fromEntries(Array.from({ length: 99_000 }, (_, n) => [`k${n}`, 0]));
  const many = await ask('POST', '/api/spans', { trace_id: 't', name: 'many', metadata });
  // The library of MCP is loaded with the first message, which is not what a message does.
  await ask('POST', '/mcp', { jsonrpc: '2.0', id: 1, method: 'ping' });
  const dataset = await ask('POST', '/api/datasets', { name: 'd' });
  await ask('POST', `/api/datasets/${dataset.id}/capture-rules`, { name: 'all', sample_rate: 1 });
  const datapoint = await ask('POST', `/api/datasets/${dataset.id}/datapoints`, { kind: { Generic: { input: 'a' } } });
  const config = { model: 'm' };
  const scoring = { scoring: 'Regex', scoring_config: { pattern: 'a+b' }, enabled: false };
  const rule = await ask('POST', '/api/scoring-rules', { name: 'r', ...scoring });
  const objects = Array.from({ length: 240_000 }, (_, n) => ({ [`k${n}`]: 0 }));
  const ofObjects = await ask('POST', '/api/spans', { trace_id: 't', name: 'objects', input: objects });
  const provider = { name: 'c', provider: 'openai', api_key: 'sk-x', base_url: providerUrl, default_model: 'm' };
  const connection = await ask('POST', '/api/provider-connections', provider);
  const judging = { scoring: 'LlmJudge', judge: { connection_id: connection.id }, enabled: false };
  const judge = await ask('POST', '/api/scoring-rules', { name: 'j', ...judging });
  const judgeOfSessions = await ask('POST', '/api/scoring-rules', { name: 's', ...judging, target: 'session' });
  for (let n = 0; n < 6; n++) {
    const trace = await ask('POST', '/api/traces', { session_id: 'judged' });
    const input = n % 2 === 0 ? objects.slice(0, 200_000) : 'wave "\n'.repeat(1_000_000);
    await ask('POST', '/api/spans', { trace_id: trace.id, name: 'c', kind: { type: 'llm_call', model: 'm' }, input });
  }
  const figures = Array.from({ length: 48 }, (_, n) => ({ title: `f${n}`, figure: 'cost', query: '"'.repeat(8_000) }));
  const [text, metadata90] = ['"'.repeat(10_000), { a: 'wave '.repeat(18_000) }];
  const prompt = { model: 'm', system_prompt: 'é"'.repeat(450_000) };
  for (let n = 0; n < 100; n++) {
    await ask('POST', '/api/comments', { target_type: 'trace', target_id: 't', text });
    await ask('POST', '/api/scores', { name: 'n', trace_id: 't', value: n, metadata: metadata90 });
    if (n % 4 === 0) await ask('POST', '/api/boards', { name: 'b', figures });
    const external = { execution: 'external', scoring: 'External', config: prompt };
    if (n % 8 === 0) await ask('POST', `/api/datasets/${dataset.id}/eval`, { name: `p${n}`, ...external });
  }
  const run = await ask('POST', `/api/datasets/${dataset.id}/eval`, {
    name: 'r',
    execution: 'external',
    repeats: 16,
    scoring: 'External',
    config,
  });
  return {
    dataset: dataset.id,
    datapoint: datapoint.id,
    run: (run as { id?: string; run_id?: string }).run_id ?? run.id,
    spanOfManyMembers: many.id,
    traceOfHugeSpans: huge.id,
    scoringRule: rule.id,
    spanOfObjects: ofObjects.id,
    ...{ connection: connection.id, judge: judge.id, judgeOfSessions: judgeOfSessions.id, session: 'judged' },
  };
}
