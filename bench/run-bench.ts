/**
 * `npm run bench`: the figures of docs/performance.md in one interleaved run, with their ratios against the goals.
 * `npm run bench -- --quick` takes a third of the time; `-- gateway`, `-- server`, `-- evals`, `-- statistics`,
 * `-- imports`, `-- events`, `-- queries`, `-- strategies`, `-- scores`, `-- otlp`, `-- masking`, `-- cassettes`, `-- replay`, `-- sdk`, `-- hostile` (`--calls=REGEXP` makes some of its calls, such as `--calls=^api:.CSV`), `-- removal`, `-- dashboard`, `-- read-store` (`--questions=REGEXP` asks some of its questions) or `-- postgres` runs that part alone; `--spans=3000000` sets how many spans the queries have
 * to do with, `--store-spans=10000000` how many the read store is loaded with, where CHDB_FOLDER names the folder in which chdb is
 * installed; `--engine` asks that one alone, and `--keep=DIR` keeps it, too.
 */
import { availableParallelism } from 'node:os';
import { measureCassettes, type CassetteFigures } from './cassette-rows.ts';
import { reportDashboard } from './dashboard-report.ts';
import { measureDashboard } from './dashboard-rows.ts';
import { measureEvals } from './eval-rows.ts';
import { measureEvents } from './event-rows.ts';
import { openFilled } from './filled-database.ts';
import { KEEP_ALIVE, measureGateway } from './gateway-rows.ts';
import { measureHostile, reportHostile } from './hostile-rows.ts';
import { measureImport } from './import-rows.ts';
import { measureMasking } from './masking-rows.ts';
import { reportOtlp } from './otlp-report.ts';
import { measureOtlp } from './otlp-rows.ts';
import { measurePostgres, reportPostgres } from './postgres-rows.ts';
import { measureEngine, reportEngine } from './read-store-engine.ts';
import { measureLag, reportLag } from './read-store-lag.ts';
import { measurePostgres as measureReadsOfPostgres, measureSqlite, reportReadStore } from './read-store.ts';
import { reportQueries } from './query-report.ts';
import { measureQueries } from './query-rows.ts';
import { measureRemoval, reportRemoval } from './removal-rows.ts';
import { measurePostgresScores, measureScores, reportScores } from './score-rows.ts';
import { measureReplay, type ReplayFigures } from './replay-rows.ts';
import { measureSdk, reportSdk } from './sdk-rows.ts';
import { measureServer } from './server-rows.ts';
import { measureStatistics, reportStatistics } from './statistics-rows.ts';
import { measureStrategies, type StrategyFigure } from './strategy-rows.ts';
import { goal, heading, part, row, verdicts, writeJson } from './report.ts';

const quick = process.argv.includes('--quick');
const PARTS = [
  'gateway',
  'server',
  'evals',
  'statistics',
  'imports',
  'events',
  'queries',
  'strategies',
  'scores',
  'otlp',
  'masking',
  'cassettes',
  'replay',
  'sdk',
  'hostile',
  'removal',
  'dashboard',
  'read-store',
  'postgres',
] as const;
const wanted = PARTS.filter((name) => process.argv.includes(name));
const valueOf = (flag: string): string | undefined =>
  process.argv.find((arg) => arg.startsWith(`--${flag}=`))?.slice(flag.length + 3);
const spans = Number(valueOf('spans') ?? (quick ? 100_000 : 1_000_000));
/** An ingest into Postgres takes five times as long: a million only when it is asked for. */
const postgresSpans = valueOf('spans') === undefined ? 100_000 : spans;
/** A store of which figures are final has ten million at least. */
const storeSpans = Number(valueOf('store-spans') ?? (quick ? 100_000 : 400_000));
/** Lists by score have as many spans on both databases in a run of that part alone. */
const scoredPostgresSpans = wanted.includes('scores') ? spans : postgresSpans;
/** Five minutes of scrolling in a million spans are for a run of that part alone. */
const isDashboardLong = !quick && wanted.includes('dashboard');
const dashboardAmounts = isDashboardLong ? { spans, seconds: 300 } : { spans: Math.min(spans, 100_000), seconds: 20 };
const [rounds, seconds] = quick ? [1, 1] : [3, 3];
const started = performance.now();

async function measured<Figures>(
  name: (typeof PARTS)[number],
  measure: () => Promise<Figures>,
  report: (figures: Figures) => void,
): Promise<void> {
  if (wanted.length === 0 || wanted.includes(name)) await part(name, measure, report);
}

heading(
  `Spandrel bench, Node ${process.versions.node}, ${availableParallelism()} cores, medians of ${rounds} interleaved rounds of ${seconds} s`,
);
await measured('gateway', () => measureGateway(rounds, seconds), reportGateway);
await measured('server', () => measureServer(rounds, seconds), reportServer);
await measured('evals', () => measureEvals(rounds), reportEvals);
await measured('statistics', () => measureStatistics(rounds), reportStatistics);
await measured('imports', () => measureImport(quick ? 200_000 : 1_000_000), reportImport);
await measured('events', () => measureEvents(rounds, seconds, quick ? 20 : 60), reportEvents);
const keep = valueOf('keep');
await measured(
  'queries',
  async () => {
    const filled = await openFilled(spans, keep);
    return { filled, figures: await measureQueries(spans, filled) };
  },
  ({ filled, figures }) => reportQueries(figures, spans, filled),
);
await measured('strategies', async () => measureStrategies(spans, await openFilled(spans, keep)), reportStrategies);
await measured(
  'scores',
  async () => [
    await measureScores(spans, await openFilled(spans, keep)),
    await measurePostgresScores(scoredPostgresSpans, keep),
  ],
  ([onSqlite, onPostgres]) => {
    reportScores(onSqlite!, spans);
    reportScores(onPostgres!, scoredPostgresSpans);
  },
);
await measured('otlp', () => measureOtlp(rounds), reportOtlp);
await measured('masking', measureMasking, reportMasking);
await measured('cassettes', () => measureCassettes(quick ? 1_500 : 5_000), reportCassettes);
await measured('replay', () => measureReplay(rounds), reportReplay);
await measured('sdk', () => measureSdk(quick ? 15 : 60), reportSdk);
await measured('hostile', () => measureHostile(valueOf('calls')), reportHostile);
await measured('removal', () => measureRemoval(quick ? 5_000 : 20_000, seconds), reportRemoval);
await measured(
  'dashboard',
  () => measureDashboard(isDashboardLong ? 9 : 3, [10_000, 50_000, 100_000], dashboardAmounts),
  reportDashboard,
);
const chdbFolder = process.env['CHDB_FOLDER'];
await measured(
  'read-store',
  async () => {
    const questions = valueOf('questions');
    const engine = chdbFolder && (await measureEngine(storeSpans, chdbFolder, keep));
    if (process.argv.includes('--engine')) return { engine, others: [] };
    return {
      engine,
      lag: chdbFolder && (await measureLag(quick ? 5 : 20, chdbFolder)),
      others: [
        await measureSqlite(spans, keep, questions),
        await measureReadsOfPostgres(postgresSpans, keep, questions),
      ],
    };
  },
  ({ engine, lag, others }) => {
    if (engine) reportEngine(engine);
    if (lag) reportLag(lag);
    if (others.length > 0) reportReadStore(others);
  },
);
await measured(
  'postgres',
  () => measurePostgres(rounds, seconds, postgresSpans, keep),
  (figures) => reportPostgres(figures, postgresSpans),
);
verdicts();
const json = valueOf('json');
if (json !== undefined) writeJson(json);
console.log(`took ${Math.round((performance.now() - started) / 1000)} s`);

/** What every strategy of listing spans is good for: the same list with it and without it. */
function reportStrategies(figures: readonly StrategyFigure[]): void {
  heading(`Lists of ${spans} spans, with and without their strategy`);
  row('', 'strategy', 'ms', 'without it', 'ms');
  for (const { query, strategy, withMs, without, withoutMs } of figures) {
    row(query, strategy, withMs.toFixed(2), without, withoutMs.toFixed(2));
  }
}

function reportGateway(figures: Awaited<ReturnType<typeof measureGateway>>): void {
  for (const [title, turns] of [
    ['Gateway, 1 KB JSON, 32 connections', figures.json32],
    ['Gateway, 1 KB JSON, 128 connections', figures.json128],
    ['Gateway, 50-chunk SSE, 32 connections', figures.sse],
  ] as const) {
    heading(title);
    const limit = turns['nginx']?.cpuMicros;
    row('', 'CPU µs/req', '× nginx', 'req/s', 'p99 ms', 'failures');
    for (const [name, turn] of Object.entries(turns)) {
      row(
        name,
        turn.cpuMicros.toFixed(0),
        limit ? (turn.cpuMicros / limit).toFixed(1) : '-',
        turn.perSecond.toFixed(0),
        turn.p99.toFixed(0),
        String(turn.failures),
      );
    }
  }
  heading('Gateway, added p50 of a single call');
  for (const [name, micros] of Object.entries(figures.addedMicros)) row(name, `${micros.toFixed(0)} µs`);
  row('disk mode', `${figures.diskMicros.toFixed(0)} µs of CPU a call more`);
  const { called, stored } = figures.recorded;
  row('recorded', `${stored} spans of ${called} calls and more from warm-up and single calls`);
  row('memory', `${megabytes(figures.rss.before)} → ${megabytes(figures.rss.after)}`);
  const cpu = (turns: typeof figures.json32, name: string): number | undefined => turns[name]?.cpuMicros;
  for (const [label, turns] of [
    ['32', figures.json32],
    ['128', figures.json128],
  ] as const) {
    const own = cpu(turns, 'spandrel');
    goal(`gateway JSON ${label} CPU / nginx`, ratio(own, cpu(turns, 'nginx')), '<=', 3);
    goal(`gateway JSON ${label} CPU / http-proxy-3 keep-alive`, ratio(own, cpu(turns, KEEP_ALIVE)), '<=', 0.9);
    goal(`gateway JSON ${label} CPU / Portkey`, ratio(own, cpu(turns, 'portkey')), '<=', 0.1);
  }
  const added = figures.addedMicros;
  goal('gateway SSE CPU / nginx', ratio(cpu(figures.sse, 'spandrel'), cpu(figures.sse, 'nginx')), '<=', 2);
  goal('gateway added p50 / nginx', ratio(added['spandrel'], added['nginx']), '<=', 2.5);
  goal('gateway added p50 / http-proxy-3 keep-alive', ratio(added['spandrel'], added[KEEP_ALIVE]), '<=', 0.7);
  goal(
    'gateway added time of one call after another / Portkey',
    ratio(added['spandrel'], added['portkey']),
    '<=',
    0.15,
  );
  goal('gateway disk mode, CPU us a call', figures.diskMicros, '<=', 40);
}

function reportServer(figures: Awaited<ReturnType<typeof measureServer>>): void {
  for (const [title, turns] of [
    [`Server, POST of 1.2 KB, nothing stored`, figures.http],
    ['Server, create + complete, durable', figures.pairs],
  ] as const) {
    heading(title);
    row('', 'CPU µs/req', 'req/s', 'p50 ms', 'p99 ms', 'failures');
    for (const [name, turn] of Object.entries(turns)) {
      row(
        name,
        turn.cpuMicros.toFixed(0),
        turn.perSecond.toFixed(0),
        turn.p50.toFixed(0),
        turn.p99.toFixed(0),
        String(turn.failures),
      );
    }
  }
  const { ingest, pairs, http } = figures;
  heading('Server, POST /api/ingest of 500 spans');
  row(
    'Spandrel',
    `${ingest.spansPerSecond.toFixed(0)} spans/s`,
    `${ingest.stored} stored of ${ingest.sent} acknowledged`,
  );
  row('bare loop', `${ingest.bareSpansPerSecond.toFixed(0)} spans/s`);
  heading('Server, access log and disk');
  row('access log', `${figures.accessLogMicros.toFixed(1)} us a request`);
  row('a span on disk', `${figures.bytesASpan.toFixed(0)} bytes`);
  goal(
    'HTTP stack CPU / Fastify + zod',
    http['Spandrel, nothing stored'].cpuMicros / http['Fastify + zod'].cpuMicros,
    '<=',
    2,
  );
  goal(
    'create+complete CPU a request / nothing stored',
    pairs.Spandrel.cpuMicros / pairs['nothing stored'].cpuMicros,
    '<=',
    2,
  );
  goal(
    'create+complete rate / nothing stored',
    pairs.Spandrel.perSecond / pairs['nothing stored'].perSecond,
    '>=',
    0.5,
  );
  goal(
    'create+complete rate / one transaction each',
    pairs.Spandrel.perSecond / pairs['one transaction each'].perSecond,
    '>=',
    2,
  );
  goal('create+complete p99 ms', pairs.Spandrel.p99, '<', 50);
  goal('access log, CPU us a request', figures.accessLogMicros, '<=', 4);
  goal('bytes on disk a span of 1.2 KB, SQLite', figures.bytesASpan, '<=', 3_600, { holdsAnywhere: true });
  goal('ingest rate / bare loop', ingest.spansPerSecond / ingest.bareSpansPerSecond, '>=', 0.6);
}

function reportEvals(figures: Awaited<ReturnType<typeof measureEvals>>): void {
  heading('Eval runs of 10,000 datapoints, 32 at once, against an instant provider');
  row('Spandrel', `${figures.perSecond.toFixed(0)} datapoints/s`, `${figures.processed} processed without failure`);
  row('bare loop over undici', `${figures.barePerSecond.toFixed(0)} calls/s`);
  row('answer to the start', `${figures.startMs.toFixed(1)} ms`);
  row('POST /api/spans beside', `p99 ${figures.p99Beside.toFixed(1)} ms`);
  goal('eval run rate / bare loop', figures.perSecond / figures.barePerSecond, '>=', 0.5);
  goal('POST /api/spans p99 ms beside an eval run', figures.p99Beside, '<=', 100);
}

function ratio(a: number | undefined, b: number | undefined): number | undefined {
  return a !== undefined && b ? a / b : undefined;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_048_576).toFixed(0)} MB`;
}

function reportMasking(figures: Awaited<ReturnType<typeof measureMasking>>): void {
  heading('Masking with all built-in maskers, CPU a KB of text');
  for (const [name, us] of Object.entries(figures)) row(name, `${us.toFixed(1)} us`);
  goal('masking, us a KB of prose', figures.prose, '<=', 10);
  goal('masking, us a KB of source code', figures.code, '<=', 10);
}

function reportCassettes({ loadMs, bytes, replayMs, fileMs }: CassetteFigures): void {
  heading('A cassette of 10,000 calls, and one of them replayed');
  row('loading', `${loadMs.toFixed(0)} ms`, megabytes(bytes));
  row('a replay', `${replayMs.toFixed(3)} ms`);
  row('a static file', `${fileMs.toFixed(3)} ms`);
  goal('cassette of 10,000 calls, ms until it answers', loadMs, '<=', 300);
  goal('replay, ms more than a static file', replayMs - fileMs, '<=', 1);
}

function reportReplay(figures: ReplayFigures): void {
  heading('A replay of 300 recorded calls to its verdict, with 600 calls of a judge');
  for (const [name, seconds] of Object.entries(figures)) {
    row(name, `${seconds.toFixed(2)} s`);
    goal(`replay of 300 calls to a verdict, ${name}, s`, seconds, '<=', 10);
  }
}

function reportImport(figures: Awaited<ReturnType<typeof measureImport>>): void {
  const { rows, bytesPerRow, rss } = figures;
  heading(`Import of ${rows} JSON lines of ${bytesPerRow.toFixed(0)} bytes, beside POST /api/spans`);
  row('Spandrel', `${figures.perSecond.toFixed(0)} rows/s`, `${figures.imported} imported`);
  row('bare loop', `${figures.barePerSecond.toFixed(0)} rows/s`);
  row('memory', `${megabytes(rss.idle)} → ${megabytes(rss.peak)}`);
  row('POST /api/spans beside', `p99 ${figures.p99Beside.toFixed(1)} ms`);
  goal('import rows/s', figures.perSecond, '>=', 20_000);
  goal('import peak memory, MB', rss.peak / 1_048_576, '<=', 300);
  goal('POST /api/spans p99 ms beside an import', figures.p99Beside, '<=', 100);
}

function reportEvents(figures: Awaited<ReturnType<typeof measureEvents>>): void {
  const { steady, spandrel, nest } = figures;
  heading(`Event stream, ${steady.clients} clients, ten events of 400 bytes a burst, at full speed`);
  row('', 'deliveries/s', 'CPU µs/delivery', 'events');
  for (const [name, { deliveriesPerSecond, cpuMicros, events }] of [
    ['Spandrel, durable', spandrel],
    ["Nest's @Sse", nest],
  ] as const) {
    row(name, deliveriesPerSecond.toFixed(0), cpuMicros.toFixed(1), String(events));
  }
  heading(`Event stream, ${steady.clients} clients (${steady.slow} slow), 50 events/s for ${steady.seconds} s`);
  row('fast clients', `${steady.failures} did not get all ${steady.events} events once, in order`);
  row('slow clients', `${steady.cut} disconnected`);
  row('memory', `${megabytes(steady.rss.idle)} → ${megabytes(steady.rss.peak)}`);
  goal("event deliveries/s / Nest's @Sse", spandrel.deliveriesPerSecond / nest.deliveriesPerSecond, '>=', 18);
  goal('event stream failures', steady.failures, '<=', 0, { holdsAnywhere: true });
  goal('event stream peak memory, MB', steady.rss.peak / 1_048_576, '<=', 300);
}
