/**
 * `npm run fuzz`: random conversations with the ports of API and gateway of the built program, before a provider that does what
 * it should not; docs/reliability.md#the-fuzzer says what is shown. Not part of the tests.
 *
 * `--minutes=60` how long, `--seed=N` another run than that of seed 1, `--rate=60` conversations a second at most,
 * `--concurrency=16` of them at once, `--cloud` cloud mode on a Postgres of its own, `--out=DIR` where files of violations go
 * (a folder of the system's for temporary files), `--only=TEXT` kinds whose name has it, `--without=TEXT,TEXT` all others, `--replay=FILE` repeats what such a file has.
 * Exit code 1 when anything was not as it should be.
 */
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { takeDatabase, takeDirectory } from '../support/places.ts';
import { tempDir } from '../support/spandrel.ts';
import { checkAnswers, type Exchange } from './check-answers.ts';
import { executePlan, type Stage } from './execute-plan.ts';
import { FuzzProgram, type Held } from './fuzz-program.ts';
import { Livez } from './livez.ts';
import { makePlan } from './make-plan.ts';
import type { Plan } from './plan.ts';
import { nameOfStatus } from './read-answers.ts';
import { startScriptedUpstream } from './scripted-upstream.ts';
import { Violations, type Recorded } from './violations.ts';

const valueOf = (flag: string): string | undefined =>
  process.argv.find((arg) => arg.startsWith(`--${flag}=`))?.slice(flag.length + 3);
const numberOf = (flag: string, otherwise: number): number => {
  const value = Number(valueOf(flag) ?? otherwise);
  if (!(value > 0)) throw new Error(`--${flag} must be a number above 0`);
  return value;
};

/** Beyond it a request hangs. */
const PATIENCE_MS = 25_000;
const LIVEZ_MS_MAX = 20_000;
/** How long sockets may take to go once nobody asks anything: longer than the program keeps idle connections. */
const SETTLE_MS_MAX = 100_000;
const RECORDED_MS_MAX = 60_000;
const MIB = 1 << 20;
/** Growth from after the warm-up to the end, of what is live after collections. */
const LIVE_GROWTH_MAX = 48 * MIB;
/** Growth of the most that was resident, from the first to the second half: one large body leaves hundreds of MiB for a while. */
const RSS_GROWTH_MAX = 384 * MIB;
const SOCKETS_MORE_MAX = 8;
const DESCRIPTORS_MORE_MAX = 32;
/** Plans that a file has when the program has ended: those under way, and what was over shortly before. */
const BEFORE_THE_END_MS = 1_500;

const minutes = numberOf('minutes', 60);
const seed = numberOf('seed', 1);
const rate = numberOf('rate', 60);
const concurrency = numberOf('concurrency', 16);
const only = valueOf('only') ?? '';
const without = (valueOf('without') ?? '').split(',').filter(Boolean);
const isCloud = process.argv.includes('--cloud');
const out = valueOf('out') ?? mkdtempSync(join(tmpdir(), 'spandrel-fuzz-'));

const violations = new Violations(out);
const kinds = new Map<string, number>();
const statuses = new Map<string, number>();
let [exchanges, shed, recordedFound, slowest] = [0, 0, 0, 0];
const count = (counts: Map<string, number>, name: string): void => void counts.set(name, (counts.get(name) ?? 0) + 1);

const good = await startScriptedUpstream();
const hostile = await startScriptedUpstream();
const place = isCloud ? await takeDatabase() : await takeDirectory();
const fuzzed = new FuzzProgram(place, {
  env: {
    SPANDREL_OPENAI_BASE_URL: good.url,
    SPANDREL_ANTHROPIC_BASE_URL: hostile.url,
    SPANDREL_OLLAMA_BASE_URL: hostile.url,
    SPANDREL_SPOOL_DIR: join(tempDir(), 'spool'),
    SPANDREL_ACCESS_LOG: 'false',
  },
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
await fuzzed.start();

const lines = (headers: Readonly<Record<string, string>>): string =>
  Object.entries({ Host: 'localhost', ...headers })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
const portOf = (url: string): number => Number(new URL(url).port);
const stage: Stage = {
  ports: { api: portOf(fuzzed.program.apiUrl), gateway: portOf(fuzzed.program.gatewayUrl) },
  admitted: { api: lines(place.headers), gateway: lines(place.gatewayHeaders) },
  patienceMs: PATIENCE_MS,
  hasEnded: () => fuzzed.hasEnded(),
};

const inFlight = new Set<Recorded>();
const recent: { at: number; recorded: Recorded }[] = [];
const toBeRecorded: { id: string; plan: Plan; at: number }[] = [];
/** Counts the lives of the program: what was under way when one ended says nothing. */
let life = 0;

/** Carries out a plan and holds what came against what had to come. */
async function tryPlan(plan: Plan): Promise<void> {
  const recorded: Recorded = { plan };
  const begunIn = life;
  inFlight.add(recorded);
  const exchange = await executePlan(plan, stage);
  inFlight.delete(recorded);
  recorded.exchange = exchange;
  exchanges++;
  count(kinds, plan.kind);
  recent.push({ at: Date.now(), recorded });
  while (recent.length > 0 && recent[0]!.at < Date.now() - BEFORE_THE_END_MS) recent.shift();
  // Whether a connection broke off since the program ends is seen a moment later.
  if (exchange.end === 'reset' || exchange.end === 'refused') await sleep(1_000);
  if (begunIn !== life || fuzzed.hasEnded()) return;
  const { answers, violations: found, shed: refused } = checkAnswers(plan, exchange);
  shed += refused;
  for (const { status } of answers) count(statuses, nameOfStatus(status));
  for (const what of found) violations.add(`${plan.kind} (${plan.port})`, what, [recorded]);
  if (plan.recorded !== undefined && isWholeAnswer(plan, exchange, answers)) {
    toBeRecorded.push({ id: plan.recorded, plan, at: Date.now() });
  }
  if (exchange.end !== 'left' || answers.length > 0) slowest = Math.max(slowest, exchange.millis);
}

const isWholeAnswer = (plan: Plan, { end }: Exchange, answers: readonly { whole: boolean; text: string }[]): boolean =>
  end !== 'refused' && answers[0]?.whole === true && answers[0].text.includes(plan.recorded!);

/** Looks for recordings, in the order of their calls. */
async function findRecordings(isLast = false): Promise<void> {
  while (toBeRecorded.length > 0 && !fuzzed.hasEnded()) {
    const { id, plan, at } = toBeRecorded[0]!;
    const status = await fuzzed.program.api.unchecked.get(`/api/traces/${id}`).then(
      (answer) => answer.status,
      () => 0,
    );
    if (status !== 200 && Date.now() - at < RECORDED_MS_MAX) {
      if (!isLast) return;
      await sleep(250);
      continue;
    }
    toBeRecorded.shift();
    if (status === 200) recordedFound++;
    else violations.add(`${plan.kind} (gateway)`, `the recording of a whole call is not there: ${status}`, [{ plan }]);
  }
}

/** Says that the program has ended, and starts it again. */
async function startAgain(): Promise<void> {
  const suspects = [...inFlight, ...recent.map(({ recorded }) => recorded)];
  const log = fuzzed.lastLines();
  const stack = /(?:Error|error)\b[^\n]{0,160}/.exec(log.slice(-3_000))?.[0] ?? '';
  fuzzed.ends++;
  life++;
  violations.add('the program', `it ended: ${stack}`, suspects, log);
  recent.length = 0;
  toBeRecorded.length = 0;
  await fuzzed.start();
}

let index = 0;
const nextPlan = (): Plan => {
  for (;;) {
    const plan = makePlan(seed, index++);
    if (plan.kind.includes(only) && !without.some((text) => plan.kind.includes(text))) return plan;
  }
};

/** Tries plans until a moment, at most so many a second and so many at once. */
async function load(until: number): Promise<void> {
  const began = performance.now();
  let begun = 0;
  const worker = async (): Promise<void> => {
    while (Date.now() < until && !fuzzed.hasEnded()) {
      const dueMs = (begun++ / rate) * 1_000 - (performance.now() - began);
      if (dueMs > 0) await sleep(dueMs);
      await tryPlan(nextPlan());
    }
  };
  const looking = (async () => {
    while (Date.now() < until && !fuzzed.hasEnded()) {
      await findRecordings();
      for (const line of fuzzed.takeUnhandled()) violations.add('the log', line);
      await sleep(500);
    }
  })();
  await Promise.all([looking, ...Array.from({ length: concurrency }, worker)]);
}

/** Nobody asks anything: sockets and descriptors go back to what they were. */
async function quiet(before: Held): Promise<Held> {
  const began = Date.now();
  await findRecordings(true);
  for (;;) {
    good.closeIdle();
    hostile.closeIdle();
    const { sockets, descriptors } = fuzzed.opened();
    const isBack =
      sockets <= before.sockets + SOCKETS_MORE_MAX && descriptors <= before.descriptors + DESCRIPTORS_MORE_MAX;
    if (isBack || fuzzed.hasEnded()) break;
    if (Date.now() - began > SETTLE_MS_MAX) {
      violations.add(
        'the program',
        `sockets and descriptors do not come back: ${sockets} and ${descriptors}, at first ${before.sockets} and ${before.descriptors}`,
      );
      break;
    }
    await sleep(500);
  }
  return fuzzed.held();
}

const mib = (bytes: number): string => (bytes / MIB).toFixed(1);
const describeHeld = ({ live, rss, sockets, descriptors }: Held): string =>
  `live ${mib(live)} MiB, resident ${mib(rss)} MiB, ${sockets} sockets, ${descriptors} descriptors`;

/** Growth a minute, by least squares. */
function slopeOf(points: readonly { at: number; value: number }[]): number {
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  const at = mean(points.map((point) => point.at));
  const value = mean(points.map((point) => point.value));
  const over = points.reduce((sum, point) => sum + (point.at - at) ** 2, 0);
  return over === 0 ? 0 : points.reduce((sum, point) => sum + (point.at - at) * (point.value - value), 0) / over;
}

async function fuzz(): Promise<void> {
  const lost = (why: string): void => violations.add('livez', why, [...inFlight]);
  const livez = [fuzzed.program.apiUrl, fuzzed.program.gatewayUrl].map(
    (url) => new Livez(url, LIVEZ_MS_MAX, () => fuzzed.hasEnded(), lost),
  );
  const began = Date.now();
  const end = began + minutes * 60_000;
  // Six looks at what is held in a short run, one every four minutes in a long one; the first is the end of the warm-up.
  const everyMs = Math.min(240_000, (minutes * 60_000) / 6);
  let before = await fuzzed.held();
  const seen: { at: number; life: number; held: Held }[] = [];
  console.log(`  before                 ${describeHeld(before)}`);
  while (Date.now() < end) {
    await load(Math.min(end, Date.now() + everyMs));
    if (fuzzed.hasEnded()) {
      await startAgain();
      before = await fuzzed.held();
      continue;
    }
    const held = await quiet(before).catch(() => undefined);
    if (held === undefined) continue;
    const at = (Date.now() - began) / 60_000;
    seen.push({ at, life, held });
    console.log(`  ${at.toFixed(1).padStart(5)} min, ${String(exchanges).padStart(7)}     ${describeHeld(held)}`);
  }
  await Promise.all(livez.map((each) => each.stop()));
  if (fuzzed.hasEnded()) await startAgain();
  const last = seen.filter((look) => look.life === life);
  if (last.length >= 2) checkMemory(last);
  else if (fuzzed.ends === 0) console.log('  too short to say whether memory is flat');
  const millis = livez.flatMap((each) => each.millis).sort((a, b) => a - b);
  const part = (of: number): string => (millis[Math.floor((millis.length - 1) * of)] ?? NaN).toFixed(0);
  console.log(`  /livez p50 ${part(0.5)} ms, p99 ${part(0.99)} ms, slowest ${part(1)} ms of ${millis.length}`);
}

function checkMemory(looks: readonly { at: number; held: Held }[]): void {
  const half = Math.ceil(looks.length / 2);
  const most = (some: typeof looks): number => Math.max(...some.map(({ held }) => held.rss));
  for (const [member, name, bound, grown] of [
    ['live', 'live memory since the warm-up', LIVE_GROWTH_MAX, looks.at(-1)!.held.live - looks[0]!.held.live],
    ['rss', 'resident memory, most of each half', RSS_GROWTH_MAX, most(looks.slice(half)) - most(looks.slice(0, half))],
  ] as const) {
    const slope = slopeOf(looks.map(({ at, held }) => ({ at, value: held[member] })));
    console.log(`  ${name}: ${mib(grown)} MiB more, by ${mib(slope)} MiB a minute`);
    if (grown > bound) violations.add('memory', `${name}: ${mib(grown)} MiB more`);
  }
}

async function replay(file: string): Promise<void> {
  const { exchanges: kept } = JSON.parse(readFileSync(file, 'utf8')) as { exchanges: Recorded[] };
  for (let round = 0; round < 20 && !fuzzed.hasEnded(); round++) {
    await Promise.all(kept.map(({ plan }) => tryPlan(plan)));
    await sleep(50);
  }
  if (fuzzed.hasEnded()) await startAgain();
}

const summary = (counts: ReadonlyMap<string, number>): string =>
  [...counts]
    .sort(([, a], [, b]) => b - a)
    .map(([name, times]) => `${String(times).padStart(8)}  ${name}`)
    .join('\n');

const file = valueOf('replay');
console.log(
  file === undefined
    ? `Fuzz of ${minutes} minutes, seed ${seed}, ${isCloud ? 'cloud' : 'local'} mode, ${rate} a second, ${concurrency} at once`
    : `Replay of ${file}`,
);
await (file === undefined ? fuzz() : replay(file));
const code = await fuzzed.program.stop('SIGTERM');
if (code !== 0) violations.add('the program', `SIGTERM ended it with ${code}`, [], fuzzed.lastLines());
for (const line of fuzzed.takeUnhandled()) violations.add('the log', line);
await Promise.all([place.close(), good.close(), hostile.close()]);
console.log(`\nConversations by kind, ${exchanges} in all\n${summary(kinds)}`);
console.log(`\nAnswers by status\n${summary(statuses)}`);
console.log(
  `\n${recordedFound} recordings found; ${shed} requests refused as busy; the longest conversation took ${slowest.toFixed(0)} ms`,
);
console.log(
  violations.count === 0
    ? `\nNo violation. Seed ${seed}.`
    : `\n${violations.count} violations, seed ${seed}:\n${violations.lines().join('\n')}`,
);
process.exit(violations.count === 0 ? 0 : 1);
