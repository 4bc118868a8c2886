import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { LOOP_PROBE, loopHeldMs } from '../support/loop-watch.ts';
import { freePorts } from '../support/ports.ts';
import { hostileApiCalls, hostileGatewayCalls, type HostileCall, type Prepared } from './hostile-calls.ts';
import { Others, type SmallCall } from './hostile-others.ts';
import { goal, heading, row } from './report.ts';

/** What came of a hostile call. */
interface HostileRow {
  name: string;
  /** Status of the answer; 0 when the connection ended without one. */
  status: number;
  /** The longest hold of the event loop, in milliseconds of CPU. */
  heldMs: number;
  /** What others waited meanwhile. */
  p99Ms: number;
}

/** The calls to one program. */
export interface HostileFigures {
  /** What others wait when nothing else is done. */
  idleP99Ms: number;
  rows: HostileRow[];
}

const IDLE_MS = 4_000;
/** What follows an answer: recordings are masked and delivered, capture rules look at spans. */
const AFTER_MS = 700;
const TIMES = 2;
const WARM_UP_SPANS = 3_000;

/**
 * Every hostile call against a server and a gateway of their own, masking and capture on.
 * @param only a regular expression for the names of the calls that are made; all when left out.
 */
export async function measureHostile(only = ''): Promise<Record<'api' | 'gateway', HostileFigures>> {
  const folder = mkdtempSync(join(tmpdir(), 'spandrel-bench-'));
  const [api, gateway, upstream] = await freePorts(3);
  const apiUrl = `http://127.0.0.1:${api}`;
  const gatewayUrl = `http://127.0.0.1:${gateway}`;
  const programs: ChildProcess[] = [];
  const start = async (url: string, ...args: string[]): Promise<ChildProcess> => {
    const program = spawn(process.execPath, args, {
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      env: {
        ...process.env,
        NODE_OPTIONS: LOOP_PROBE,
        SPANDREL_API_URL: apiUrl,
        SPANDREL_OPENAI_BASE_URL: `http://127.0.0.1:${upstream}`,
      },
    });
    programs.push(program);
    while (!(await fetch(url).catch(() => undefined))) await sleep(50);
    return program;
  };
  try {
    await start(`http://127.0.0.1:${upstream}`, 'test/bench/peers/hostile-upstream.ts', String(upstream));
    const server = await start(
      `${apiUrl}/readyz`,
      'dist/apps/server/src/main.js',
      '--port',
      String(api),
      '--data-dir',
      join(folder, 'data'),
    );
    const prepared = await prepare(apiUrl);
    const small = { url: `${apiUrl}/api/spans`, body: '{"trace_id":"t","name":"small","input":"hello"}' };
    const apiFigures = await measure(
      server,
      apiUrl,
      small,
      hostileApiCalls(prepared).filter(({ name }) => new RegExp(only).test(name)),
    );
    const through = await start(
      `${gatewayUrl}/readyz`,
      'dist/apps/gateway/src/main.js',
      '--port',
      String(api),
      '--gateway-port',
      String(gateway),
    );
    const call = {
      url: `${gatewayUrl}/v1/chat/completions`,
      body: '{"model":"m","messages":[{"role":"user","content":"hello"}]}',
    };
    return {
      api: apiFigures,
      gateway: await measure(
        through,
        gatewayUrl,
        call,
        hostileGatewayCalls().filter(({ name }) => new RegExp(only).test(name)),
      ),
    };
  } finally {
    for (const program of programs) program.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(
  program: ChildProcess,
  baseUrl: string,
  small: SmallCall,
  calls: readonly HostileCall[],
): Promise<HostileFigures> {
  const others = new Others(small);
  try {
    // Both the program and its peers run compiled code by then.
    for (let seen = 0; seen < WARM_UP_SPANS; seen += (await others.take()).length) await sleep(200);
    await others.take();
    await sleep(IDLE_MS);
    const idleP99Ms = p99(await others.take());
    const rows: HostileRow[] = [];
    for (const call of calls) {
      const seen: HostileRow = { name: call.name, status: 0, heldMs: 0, p99Ms: 0 };
      const millis: number[] = [];
      for (let time = 0; time < TIMES; time++) {
        const body = call.body?.();
        await sleep(100);
        await others.take();
        await loopHeldMs(program);
        seen.status = await send(baseUrl, call, body);
        await sleep(AFTER_MS);
        seen.heldMs = Math.max(seen.heldMs, await loopHeldMs(program));
        millis.push(...(await others.take()));
      }
      seen.p99Ms = p99(millis);
      rows.push(seen);
    }
    return { idleP99Ms, rows };
  } finally {
    await others.stop();
  }
}

/** Prints the table of docs/reliability.md#hostile-bodies, the longest holds first, and notes the goals. */
export function reportHostile(figures: Record<'api' | 'gateway', HostileFigures>): void {
  for (const [program, { idleP99Ms, rows }] of Object.entries(figures)) {
    heading(`Hostile calls to the ${program}: others' p99 is ${idleP99Ms.toFixed(1)} ms when nothing else is done`);
    row('', 'held ms', "others' p99", '× idle', 'status');
    for (const { name, status, heldMs, p99Ms } of rows.toSorted((a, b) => b.heldMs - a.heldMs)) {
      const times = (p99Ms / idleP99Ms).toFixed(1);
      row(name.padEnd(40), heldMs.toFixed(0), p99Ms.toFixed(1), times, String(status));
    }
    goal(`hostile, ${program}: longest hold, ms`, Math.max(...rows.map(({ heldMs }) => heldMs)), '<=', HELD_MS_MAX);
    goal(`hostile, ${program}: others' p99 / idle`, Math.max(...rows.map(({ p99Ms }) => p99Ms)) / idleP99Ms, '<', 2);
  }
}

const HELD_MS_MAX = 50;

const p99 = (millis: readonly number[]): number =>
  millis.toSorted((a, b) => a - b)[Math.floor(millis.length * 0.99)] ?? NaN;

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
    sent.on('error', () => resolve(0));
    sent.end(body);
  });
}

/** A trace, masking rules, a dataset with a capture rule, an external run, and a trace of ten spans of 9 MB. */
async function prepare(apiUrl: string): Promise<Prepared> {
  const ask = async (method: string, path: string, body: unknown): Promise<{ id: string }> => {
    const answer = await fetch(apiUrl + path, {
      method,
      headers: { 'content-type': 'application/json' },
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
  const dataset = await ask('POST', '/api/datasets', { name: 'd' });
  await ask('POST', `/api/datasets/${dataset.id}/capture-rules`, { name: 'all', sample_rate: 1 });
  const datapoint = await ask('POST', `/api/datasets/${dataset.id}/datapoints`, { kind: { Generic: { input: 'a' } } });
  const config = { model: 'm' };
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
    traceOfHugeSpans: huge.id,
  };
}
