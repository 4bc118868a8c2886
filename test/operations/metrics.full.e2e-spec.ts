/** What operators build on: every metric is documented, and dashboard, alerts and runbook links point to what is there. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parse as parseYaml } from 'yaml';
import { startFakeProvider, type FakeProvider } from '../fake-provider/start-fake-provider.ts';
import type { Place, Program } from '../support/places.ts';
import { tempDir, until } from '../support/spandrel.ts';
import { familyOf, readMetrics, type ShownMetric } from './metrics-text.ts';
import { readQuery } from './promql.ts';
import { describeOnBothDatabases, POSTGRES, SQLITE } from '../support/databases.ts';

const DOCS = readFileSync('docs/operations.md', 'utf8');
/** Metrics of the client library, named and explained by it. */
const OF_LIBRARY = /^(process|nodejs)_/;
/** What one mode alone shows: it has the database, or the limit, that they are about. */
const OF_MODE = {
  local: ['spandrel_storage_disk_free_bytes'],
  cloud: [
    'spandrel_audit_log_waiting_entries',
    'spandrel_audit_log_write_failures_total',
    'spandrel_rate_limit_fallbacks_total',
    'spandrel_rate_limited_requests_total',
    'spandrel_removal_failures_total',
    'spandrel_removal_oldest_seconds',
    'spandrel_removal_stalled_seconds',
    'spandrel_requests_refused_total',
    'spandrel_storage_pool_connections',
    'spandrel_storage_pool_waiting',
  ],
};
/** Asked for in cloud mode. */
const METRICS_TOKEN = 'a-token-for-metrics-of-the-tests-0123456789';
const BEARER = { authorization: `Bearer ${METRICS_TOKEN}` };
/** Labels that Prometheus adds to what it scrapes. */
const OF_PROMETHEUS = new Set(['instance', 'job']);

interface Panel {
  type: string;
  title: string;
  targets?: { expr: string }[];
}

interface Rule {
  alert: string;
  expr: string;
  for?: string;
  labels: Record<string, string>;
  annotations: Record<string, string>;
}

type Metrics = Map<string, ShownMetric>;

/** A program after some traffic, and what it showed then. */
interface Watched {
  place: Place;
  program: Program;
  server: Metrics;
  gateway: Metrics;
}

let provider: FakeProvider;
const watched = new Map<string, Watched>();

const scrape = async (url: string): Promise<Metrics> =>
  readMetrics(await (await fetch(`${url}/metrics`, { headers: BEARER })).text());

/** A read store whose engine is away has metrics all the same. */
const WITH_READ_STORE = {
  plugins: [{ use: 'clickhouse', config: { url: 'http://127.0.0.1:9' } }],
  read_store: { plugin: 'clickhouse' },
};

/** Starts a program and makes it count something of everything. */
async function watch(place: Place): Promise<Watched> {
  const config = join(tempDir(), 'metrics.yaml');
  writeFileSync(config, JSON.stringify({ ...WITH_READ_STORE, connections: { allow_private: ['127.0.0.1'] } }));
  const program = await place.start({
    env: {
      SPANDREL_CONFIG: config,
      SPANDREL_OPENAI_BASE_URL: provider.url,
      SPANDREL_ACCESS_LOG: 'false',
      SPANDREL_LOG_LEVEL: 'debug',
      ...(place.mode === 'cloud' && { SPANDREL_METRICS_TOKEN: METRICS_TOKEN }),
    },
  });
  const { api, apiUrl, gatewayUrl } = program;
  const stream = new AbortController();
  await fetch(`${apiUrl}/api/events`, { signal: stream.signal, headers: place.headers });
  await api.post('/api/traces', { id: 't' });
  await api.post('/api/spans', { id: 's', trace_id: 't', name: 'n' });
  await api.post('/api/spans/s/complete', { output: 'o' });
  await api.get('/api/spans?text_contains=o');
  await api.get('/api/traces/none');
  await api.get('/nowhere/at/all?never-shown=1');
  await api.send('PROPFIND', '/api/traces');
  for (const scenario of ['echo', 'cut']) {
    await fetch(`${gatewayUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-fake': scenario, ...place.gatewayHeaders },
      body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'hello' }] }),
    })
      .then((answer) => answer.text())
      .catch(() => undefined);
  }
  await until(async () => (await api.spans()).length >= 3);
  stream.abort();
  const shown: Watched = { place, program, server: new Map(), gateway: new Map() };
  // A gauge of the database has no sample on a page for which it took too long.
  await until(
    async () => {
      Object.assign(shown, { server: await scrape(apiUrl), gateway: await scrape(gatewayUrl) });
      return silentOf(shown).length === 0;
    },
    30_000,
    () => `without samples: ${silentOf(shown).join()}`,
  );
  return shown;
}

/** Metrics that show nothing, whose labels could not be compared. */
const silentOf = (shown: Watched): string[] =>
  [...shownBy(shown).values()]
    .filter(({ name, samples }) => samples.length === 0 && !OF_LIBRARY.test(name))
    .map(({ name }) => name);

beforeAll(async () => {
  provider = await startFakeProvider();
  for (const { name, takePlace } of [SQLITE, POSTGRES]) watched.set(name, await watch(await takePlace()));
});
afterAll(async () => {
  for (const { place } of watched.values()) await place.close();
  await provider?.close();
});

/** What both programs of a place show. */
const shownBy = ({ server, gateway }: Watched): Metrics => new Map([...server, ...gateway]);
const shownAnywhere = (): Metrics => new Map([...watched.values()].flatMap((each) => [...shownBy(each)]));

/** The rows of the tables of metrics in docs/operations.md. */
function documented(): Map<string, { type: string; labels: string[]; meaning: string }> {
  const section = DOCS.slice(DOCS.indexOf('## Metrics'), DOCS.indexOf('## Dashboard and alerts'));
  const rows = section.matchAll(/^\| `(\w+)`\s+\| (\w+)\s+\| ([^|]*)\| ([^|]+)\|$/gm);
  return new Map(
    [...rows].map(([, name, type, labels, meaning]) => [
      name!,
      { type: type!, labels: [...labels!.matchAll(/`(\w+)`/g)].map(([, label]) => label!), meaning: meaning!.trim() },
    ]),
  );
}

describeOnBothDatabases('the metrics of both programs', ({ name: database }) => {
  const here = (): Watched => watched.get(database)!;
  const all = (): Metrics => shownBy(here());

  it('are those of the tables in docs/operations.md, with their types and labels', () => {
    const docs = documented();
    const elsewhere = OF_MODE[here().place.mode === 'local' ? 'cloud' : 'local'];
    expect([...docs.keys()].sort()).toEqual([...all().keys(), ...elsewhere].sort());
    for (const { name, type, labels, samples } of all().values()) {
      const doc = docs.get(name)!;
      expect([name, doc.type]).toEqual([name, type]);
      if (samples.length > 0) expect([name, [...labels].sort()]).toEqual([name, [...doc.labels].sort()]);
      expect(doc.meaning.length).toBeGreaterThan(10);
    }
  });

  it('count failures from 0, so that an alert sees the first one', () => {
    for (const sample of [
      'spandrel_storage_transactions_total{outcome="failed"}',
      'spandrel_event_streams_cut_total{reason="stalled"}',
      'spandrel_event_streams_cut_total{reason="behind"}',
      'spandrel_event_streams_cut_total{reason="failed"}',
      'spandrel_eval_items_total{outcome="failed"}',
      'spandrel_capture_tasks_lost_total',
      'spandrel_retention_runs_total{outcome="failed"}',
    ]) {
      expect(here().server.get(sample.split('{')[0]!)!.samples).toContain(`${sample} 0`);
    }
  });

  it('have names, units and help as promtool wants them', () => {
    const faults: string[] = [];
    for (const { name, type, help, labels } of all().values()) {
      if (OF_LIBRARY.test(name)) continue;
      const check = (holds: boolean, rule: string) => holds || faults.push(`${name}: ${rule}`);
      check(/^spandrel_[a-z]+(_[a-z]+)*$/.test(name), 'snake_case with the prefix spandrel_');
      check((type === 'counter') === name.endsWith('_total'), 'counters, and they alone, end in _total');
      check(
        !/_(milliseconds|ms|minutes|hours|kilobytes|kb|mb|percent|count|sum|bucket|info_total)$/.test(name),
        'base units',
      );
      check(!/(duration|time|latency)/.test(name) || name.endsWith('_seconds'), 'times end in _seconds');
      check(!/(size|free|memory)/.test(name) || name.endsWith('_bytes'), 'sizes end in _bytes');
      check(help.length > 10 && help.endsWith('.'), 'a sentence of help');
      for (const label of labels) check(/^[a-z]+(_[a-z]+)*$/.test(label), `label ${label}`);
    }
    expect(faults).toEqual([]);
    for (const name of [
      'process_resident_memory_bytes',
      'process_cpu_seconds_total',
      'nodejs_eventloop_lag_p99_seconds',
    ]) {
      expect([name, here().server.has(name), here().gateway.has(name)]).toEqual([name, true, true]);
    }
  });

  it('name routes and known methods in labels, never what callers sent', () => {
    const { place, server, gateway } = here();
    const { samples } = server.get('spandrel_http_requests_total')!;
    expect(samples).toContainEqual(
      expect.stringMatching(/^spandrel_http_requests_total\{method="GET",route="unmatched",status_class="4xx"\} 1$/),
    );
    expect(samples.join('\n')).toContain('{method="GET",route="/api/traces/:id",status_class="4xx"} 1');
    expect(samples.join('\n')).toContain('{method="other",route="unmatched",status_class="4xx"} 1');
    for (const metrics of [server, gateway]) {
      const text = [...metrics.values()].flatMap((metric) => metric.samples).join('\n');
      expect(text).not.toMatch(/nowhere|never-shown|PROPFIND|traces\/none/);
    }
    // A stream that was open all the time is no slow request.
    expect(server.get('spandrel_http_request_duration_seconds')!.samples.join('\n')).not.toContain('/api/events');
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    for (const metrics of [server, gateway]) {
      expect(metrics.get('spandrel_build_info')!.samples).toEqual([
        `spandrel_build_info{version="${version}",mode="${place.mode}"} 1`,
      ]);
    }
  });

  it('are read with GET and HEAD in the format of Prometheus, by those who may', async () => {
    const { place, program } = here();
    for (const url of [program.apiUrl, program.gatewayUrl]) {
      const answer = await fetch(`${url}/metrics`, { headers: BEARER });
      expect([answer.status, answer.headers.get('content-type')]).toEqual([
        200,
        'text/plain; version=0.0.4; charset=utf-8',
      ]);
      expect(answer.headers.get('x-request-id')).toMatch(/^\w{26}$/);
      const head = await fetch(`${url}/metrics`, { method: 'HEAD', headers: BEARER });
      expect([head.status, await head.text()]).toEqual([200, '']);
      expect([404, 405]).toContain((await fetch(`${url}/metrics`, { method: 'POST', headers: BEARER })).status);
      // Local mode asks whether a web page sends it, cloud mode for the token.
      const [stranger, refusal] =
        place.mode === 'local'
          ? [{ origin: 'https://evil.example' }, [403, 'host_not_allowed']]
          : [{}, [401, 'unauthenticated']];
      const refused = await fetch(`${url}/metrics`, { headers: stranger as Record<string, string> });
      expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual(refusal);
    }
  });

  it('count requests of which access_log: false leaves no line', async () => {
    const { program } = here();
    // A stop writes what waits.
    expect(await program.stop()).toBe(0);
    expect(program.output()).not.toContain('"msg":"request"');
  });
});

/** An expression as Prometheus gets it: Grafana fills its variables in. */
const filledIn = (expression: string): string => expression.replaceAll('$__rate_interval', '5m');

/** Metrics and labels that an expression asks for and that neither program has. */
function unknownIn(expression: string): string[] {
  return readQuery(filledIn(expression)).matched.flatMap(({ metric, labels }) => {
    if (metric === 'up') return [];
    const shown = familyOf(metric, shownAnywhere());
    if (!shown) return [metric];
    const { labels: known } = documented().get(shown.name)!;
    return labels.filter((label) => !OF_PROMETHEUS.has(label) && !known.includes(label)).map((l) => `${metric}{${l}}`);
  });
}

describe('the Grafana dashboard', () => {
  const dashboard = JSON.parse(readFileSync('deploy/grafana/spandrel.json', 'utf8')) as {
    schemaVersion: number;
    panels: (Panel & { id: number; gridPos: { x: number; w: number }; datasource?: { uid: string } })[];
    templating: { list: { name: string; type: string }[] };
  };
  const panels = dashboard.panels.filter(({ type }) => type !== 'row');

  it('asks for metrics and labels that are there, in PromQL', () => {
    const expressions = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
    expect(expressions.length).toBeGreaterThan(30);
    for (const expression of expressions) expect([expression, unknownIn(expression)]).toEqual([expression, []]);
  });

  it('shows every metric of Spandrel, with a data source to choose', () => {
    const used = panels
      .flatMap(({ targets = [] }) => targets.flatMap(({ expr }) => readQuery(filledIn(expr)).metrics))
      .map((name) => familyOf(name, shownAnywhere())!.name);
    const missing = [...shownAnywhere().keys()].filter((name) => name.startsWith('spandrel_') && !used.includes(name));
    expect(missing).toEqual([]);
    expect(dashboard.schemaVersion).toBeGreaterThanOrEqual(39);
    expect(dashboard.templating.list).toContainEqual(
      expect.objectContaining({ name: 'datasource', type: 'datasource' }),
    );
    expect(panels.every(({ datasource }) => datasource?.uid === '${datasource}')).toBe(true);
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
    for (const { gridPos } of dashboard.panels) expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
  });
});

describe('the alert rules', () => {
  const { groups } = parseYaml(readFileSync('deploy/prometheus/alerts.yaml', 'utf8')) as {
    groups: { rules: Rule[] }[];
  };
  const rules = groups.flatMap((group) => group.rules);
  it.each(rules.map((rule) => [rule.alert, rule] as const))(
    '%s asks for what is there and says what to do',
    (_name, rule) => {
      expect(unknownIn(rule.expr)).toEqual([]);
      expect(rule.for).toMatch(/^\d+[smh]$/);
      expect(['critical', 'warning']).toContain(rule.labels['severity']);
      expect(rule.annotations['summary']!.length).toBeGreaterThan(10);
      expect(rule.annotations['runbook_url']).toMatch(/^docs\/operations\.md#./);
    },
  );

  it('have names of their own', () => {
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
  });
});
