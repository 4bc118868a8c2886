import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ConnectionsSettings } from '@spandrel/connections';
import { FACETS } from '@spandrel/contract';
import { OpenApi, type OpenApiDocument, type OpenApiSchema } from '@spandrel/http';
import { newId } from '@spandrel/kernel';
import { cloudApp, type CloudApp } from '../support/cloud-app.ts';
import { type Tenant } from '../support/tenant.ts';
import { createMigrated } from '../support/migrated-database.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { until } from '../support/spandrel.ts';
import { routesOf, send, type Route } from './cloud-request.ts';
import { everythingOf, plant, type IdKind, type TenantData } from './tenant-data.ts';

const THEIR_MARK = 'canary-of-the-other-tenant';

let postgres: TestPostgres;
let app: CloudApp;
let ours: Tenant;
let theirs: Tenant;
let own: TenantData;
let foreign: TenantData;
let before: Record<string, unknown>;
let document: OpenApiDocument;

beforeAll(async () => {
  postgres = await startPostgres();
  app = await cloudApp(await createMigrated(postgres, 'isolation'), {
    settings: (settings) => void (settings.of(ConnectionsSettings).allowPrivate = ['127.0.0.1']),
  });
  [ours, theirs] = await Promise.all([app.createTenant(), app.createTenant({ name: THEIR_MARK })]);
  [own, foreign] = await Promise.all([plant(ours, 'our-own'), plant(theirs, THEIR_MARK)]);
  document = app.app.get(OpenApi).document;
  before = await everythingOf(theirs, foreign);
});

afterAll(async () => {
  await app?.close();
  await postgres?.stop();
});

/** What an id in a path names, by the segment before it. */
const KIND_OF_SEGMENT: Readonly<Record<string, IdKind>> = {
  traces: 'trace',
  spans: 'span',
  sessions: 'session',
  users: 'user',
  datasets: 'dataset',
  datapoints: 'datapoint',
  'capture-rules': 'rule',
  'provider-connections': 'connection',
  eval: 'run',
  queue: 'item',
  scores: 'score',
  'score-definitions': 'definition',
  'scoring-rules': 'scoringRule',
  alerts: 'alert',
  'alert-channels': 'channel',
  orgs: 'org',
  projects: 'project',
  keys: 'key',
  members: 'member',
  views: 'view',
  boards: 'board',
  comments: 'comment',
  shares: 'share',
  shared: 'share',
  replays: 'replay',
};

/** What a member or a query parameter names. */
const KIND_OF_MEMBER: Readonly<Record<string, IdKind>> = {
  trace_id: 'trace',
  span_id: 'span',
  parent_id: 'span',
  target_id: 'trace',
  session_id: 'session',
  id_contains: 'session',
  user_id: 'user',
  prefix: 'user',
  datapoint_ids: 'datapoint',
  span_ids: 'span',
  trace_ids: 'trace',
  session_ids: 'session',
  connection_id: 'connection',
  dataset_id: 'dataset',
  project_id: 'project',
  runs: 'run',
  baseline: 'run',
  run_id: 'run',
  baseline_run_id: 'run',
  datapoint_id: 'datapoint',
  group_id: 'run',
  alert_id: 'alert',
  channel_ids: 'channel',
};

/** What `ids` names, by the route: in a query or a body. */
const KIND_OF_IDS: Readonly<Record<string, IdKind>> = {
  queryAnalyticsGroups: 'span',
  listTraces: 'trace',
  countTraces: 'trace',
  listSpans: 'span',
  countSpans: 'span',
  listDatapoints: 'datapoint',
  deleteDatapoints: 'datapoint',
  startEval: 'datapoint',
  startEvalMatrix: 'datapoint',
  startReplay: 'span',
};

/** What a query parameter of a route names; `undefined` when it names nothing. */
const kindOfParameter = (route: Route, name: string): IdKind | undefined =>
  name === 'ids' ? KIND_OF_IDS[route.id] : Object.hasOwn(KIND_OF_MEMBER, name) ? KIND_OF_MEMBER[name] : undefined;

/** Bodies that are taken as they are, with our own ids; a function, since some ids are good for once. */
const BODIES: Readonly<Record<string, () => unknown>> = {
  putMasking: () => ({ rules: [] }),
  previewMasking: () => ({ text: 'x' }),
  createTrace: () => ({ id: newId(), session_id: own.session, user_id: own.user }),
  patchTrace: () => ({ session_id: own.session, user_id: own.user }),
  createView: () => ({ name: 'x', page: 'traces', query: '' }),
  updateView: () => ({ name: 'x' }),
  createBoard: () => ({ name: 'x', figures: [] }),
  updateBoard: () => ({ name: 'x' }),
  createComment: () => ({ target_type: 'trace', target_id: own.trace, parent_id: own.trace, text: 'x' }),
  updateComment: () => ({ text: 'x' }),
  createShare: () => ({ trace_id: own.trace }),
  createSpan: () => ({ id: newId(), trace_id: own.trace, parent_id: own.span, name: 'x' }),
  completeSpan: () => ({}),
  failSpan: () => ({ error: 'x' }),
  ingest: () => ({
    traces: [{ id: newId(), session_id: own.session, user_id: own.user }],
    spans: [{ id: newId(), trace_id: own.trace, parent_id: own.span, name: 'x' }],
  }),
  createScore: () => ({ id: newId(), name: 'x', value: 1, trace_id: own.trace, span_id: own.span }),
  updateScore: () => ({ value: 1 }),
  createScoreDefinition: () => ({ name: newId(), kind: 'number' }),
  createAlert: () => ({
    ...{ name: 'x', measure: 'cost', window: '1h', condition: { op: '>', value: 5 }, channel_ids: [own.channel] },
  }),
  updateAlert: () => ({ channel_ids: [own.channel] }),
  createAlertChannel: () => ({ name: 'x', kind: 'webhook', url: 'https://hooks.example.com/x' }),
  updateAlertChannel: () => ({ name: 'x' }),
  updateScoreDefinition: () => ({ kind: 'number' }),
  createScoringRule: () => ({ name: 'x', scoring: 'LlmJudge', judge: { connection_id: own.connection } }),
  updateScoringRule: () => ({ name: 'x', enabled: false }),
  testScoringRule: () => ({ span_id: own.span }),
  backfillScoringRule: () => ({ dry_run: true }),
  createDataset: () => ({ name: 'x' }),
  updateDataset: () => ({ name: 'x' }),
  createDatapoint: () => ({ kind: { Generic: { input: 'x' } } }),
  updateDatapoint: () => ({ kind: { Generic: { input: 'x' } } }),
  exportSpan: () => ({ span_id: own.span }),
  exportSpans: () => ({ span_ids: [own.span] }),
  deleteDatapoints: () => ({ ids: [own.datapoint] }),
  importDatapoints: () => [{ input: 'x' }],
  createCaptureRule: () => ({ name: 'x', filters: { model: 'nothing' } }),
  previewCaptureRule: () => ({}),
  updateCaptureRule: () => ({ name: 'x' }),
  tryCall: () => ({
    ...{ span_id: own.span, messages: [{ role: 'user', content: 'x' }], model: 'x' },
    connection_id: own.connection,
  }),
  startEval: () => ({
    id: newId(),
    name: 'x',
    config: { connection_id: own.connection, model: 'x', judge: { connection_id: own.connection, model: 'x' } },
    scorers: [{ scoring: 'LlmJudge', judge: { connection_id: own.connection, model: 'x' } }],
    gates: [{ metric: 'regression', baseline_run_id: own.run }],
    filter: { ids: [own.datapoint] },
  }),
  startEvalMatrix: () => ({
    name: 'x',
    config: { connection_id: own.connection, judge: { connection_id: own.connection, model: 'x' } },
    models: [{ connection_id: own.connection, model: 'x' }, 'x'],
    scorers: [{ scoring: 'LlmJudge', judge: { connection_id: own.connection, model: 'x' } }],
    gates: [{ metric: 'regression', baseline_run_id: own.run }],
  }),
  startReplay: () => ({
    ...{ id: newId(), name: 'x', source: { span_ids: [own.span] }, change: { connection_id: own.connection } },
    judge: { connection_id: own.connection, model: 'x' },
    scorers: [{ scoring: 'LlmJudge', judge: { connection_id: own.connection, model: 'x' } }],
    gates: [{ metric: 'regression', baseline_run_id: own.run }],
  }),
  retryEval: () => ({ what: 'pending' }),
  setEvalGates: () => ({ gates: [{ metric: 'regression', baseline_run_id: own.run }] }),
  addEvalResults: () => ({
    results: [{ datapoint_id: own.datapoint, output: 'x', trace_id: own.trace, span_id: own.span }],
    on_conflict: 'replace',
  }),
  enqueueDatapoints: () => ({ datapoint_ids: [own.datapoint] }),
  enqueueTargets: () => ({ trace_ids: [own.trace] }),
  claimNextTarget: () => ({ claimed_by: 'x' }),
  claimNextQueueItem: () => ({ claimed_by: 'x' }),
  claimQueueItem: () => ({ claimed_by: 'x' }),
  submitQueueItem: () => ({}),
  updateConnection: () => ({ name: 'x' }),
  updateOrganization: () => ({ name: 'x' }),
  createProject: () => ({ name: 'x' }),
  updateProject: () => ({ name: 'x' }),
  createMember: () => ({ email: `${newId()}@people.example`, role: 'viewer', project_id: own.project }),
  updateMember: () => ({ role: 'reviewer' }),
  switchProject: () => ({ project_id: own.project }),
  createKey: () => ({ name: 'x', scopes: ['read'], project_id: own.project }),
  searchSpans: () => ({ query: 'x', filters: { trace_id: own.trace, session_id: own.session } }),
  queryAnalytics: () => ({ group_by: 'hour', split_by: 'model', percentiles: true }),
  queryAnalyticsGroups: () => ({ group_by: ['model', 'tag'], filters: { trace_id: own.trace } }),
  applyPrices: () => ({}),
  importJson: () => ({ traces: [{ id: newId() }] }),
};

/** Queries without which a route refuses before it looks. */
const QUERIES: Readonly<Record<string, () => string>> = {
  compareEvals: () => `?runs=${own.run}`,
  compareEvalItems: () => `?runs=${own.run}`,
  getScoreQuality: () => '?name=x',
  explainScoring: () => `?span_id=${own.span}`,
};

/** Ids of nothing, of the same forms. */
const nothing = (): TenantData => {
  const ids = Object.keys(foreign).map((kind) => [kind, newId()]);
  return {
    ...(Object.fromEntries(ids) as TenantData),
    session: 'session of nobody',
    user: `user of nobody ${newId()}`,
  };
};

/** Paths of external runs alone. */
const OF_EXTERNAL = /\/(results|complete)$/;

/** A path with its placeholders filled by `idOf` the kind that each names, and its place in the path. */
const filled = (path: string, idOf: (kind: IdKind, index: number) => string): string => {
  let index = 0;
  return path.replace(/([^/]+)\/\{\w+\}/g, (_match, segment: string) => {
    const kind = segment === 'eval' && OF_EXTERNAL.test(path) ? 'external' : KIND_OF_SEGMENT[segment];
    if (!kind) throw new Error(`what does ${path} name?`);
    return `${segment}/${encodeURIComponent(idOf(kind, index++))}`;
  });
};

/** What is answered to us, without the ids and times that differ each time; those sent are masked too. */
async function answered(route: Route, path: string, body: unknown, ids: TenantData): Promise<string> {
  const { status, text, mediaType } = await send(app.url, {
    method: route.method,
    path,
    authorization: `Bearer ${ours.key}`,
    body,
  });
  const sent = Object.values(ids).flatMap((id) => [id, encodeURIComponent(id)]);
  const masked = sent.reduce((shown, id) => shown.replaceAll(id, '<id>'), text);
  // What is sent back was ours to say; anything else of theirs is not.
  for (const leak of [THEIR_MARK, ...Object.values(foreign)]) {
    if (masked.includes(leak)) throw new Error(`${route.id} shows ${leak}: ${text}`);
  }
  const constant = masked
    .replace(/"[0-9A-HJKMNP-TV-Z]{26}"/g, '"<id>"')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replace(/spn_sk_\w+/g, '<key>');
  return `${status} ${mediaType} ${constant}`;
}

const bodyOf = (route: Route): unknown => BODIES[route.id]?.();
const queryOf = (route: Route): string => QUERIES[route.id]?.() ?? '';

/** Paths of the members that name something, such as `spans[0].trace_id`. */
function idMembers(schema: OpenApiSchema | undefined, at: string[] = []): string[][] {
  if (!schema) return [];
  const { $ref, properties, items, anyOf, allOf } = schema as {
    $ref?: string;
    properties?: Record<string, OpenApiSchema>;
    items?: OpenApiSchema;
    anyOf?: OpenApiSchema[];
    allOf?: OpenApiSchema[];
  };
  if ($ref !== undefined) return idMembers(document.components.schemas[$ref.split('/').at(-1)!], at);
  return [
    ...Object.entries(properties ?? {}).flatMap(([name, member]) =>
      /(^|_)ids?$/.test(name) ? [[...at, name]] : idMembers(member, [...at, name]),
    ),
    ...idMembers(items, [...at, '0']),
    ...[...(anyOf ?? []), ...(allOf ?? [])].flatMap((part) => idMembers(part, at)),
  ];
}

/** A copy with another value at a path; a list keeps being one. */
function withMember(body: unknown, [name, ...rest]: readonly string[], value: string): unknown {
  const copy = (Array.isArray(body) ? [...body] : { ...(body as object) }) as Record<string, unknown>;
  const current = copy[name!];
  if (rest.length > 0) copy[name!] = withMember(current, rest, value);
  else copy[name!] = Array.isArray(current) ? [value] : value;
  return copy;
}

/** What a member names: `id` is that of the thing itself. */
const kindOf = (path: readonly string[], route: Route): IdKind => {
  const name = path.at(-1)!;
  if (name === 'ids') return KIND_OF_IDS[route.id] ?? raise(`${route.id}: what do ids name?`);
  if (`${route.id} ${path}` === 'tryCall trace_id') return 'tried';
  if (name !== 'id') return KIND_OF_MEMBER[name] ?? raise(`${route.id}: what does ${path.join('.')} name?`);
  if (route.id === 'startReplay') return 'replay';
  if (route.id === 'startEval' || route.id === 'startEvalMatrix') return 'run';
  return path.includes('spans') || route.id === 'createSpan' ? 'span' : 'trace';
};

function raise(message: string): never {
  throw new Error(message);
}

describe("with another tenant's ids", () => {
  it('every route answers as to ids of nothing: in paths', async () => {
    const checked: string[] = [];
    for (const route of routesOf(document).filter(({ path }) => path.includes('{'))) {
      const count = route.path.split('{').length - 1;
      // Each id of theirs by itself below our own, and all of them.
      for (const theirOwn of [...Array(count).keys(), undefined]) {
        const [withTheirs, withNothing] = await Promise.all(
          [foreign, nothing()].map((ids) => {
            const idOf = (kind: IdKind, index: number) =>
              (theirOwn === undefined || index === theirOwn ? ids : own)[kind];
            return answered(route, filled(route.path, idOf) + queryOf(route), bodyOf(route), ids);
          }),
        );
        expect([route.id, withTheirs]).toEqual([route.id, withNothing]);
        expect([route.id, withTheirs]).toEqual([route.id, expect.stringMatching(/^404 application\/problem\+json /)]);
      }
      checked.push(route.id);
    }
    expect(checked.length).toBeGreaterThan(35);
  });

  it('every route answers as to ids of nothing: in queries', async () => {
    const checked: string[] = [];
    // The stream of events does not end; what it says of a trace of others is reported below.
    for (const route of routesOf(document).filter(({ id }) => id !== 'listenToEvents')) {
      const named = (route.operation.parameters ?? []).filter(
        (parameter) => parameter.in === 'query' && kindOfParameter(route, parameter.name) !== undefined,
      );
      for (const { name } of named) {
        const [withTheirs, withNothing] = await Promise.all(
          [foreign, nothing()].map((ids) => {
            const query = `?${name}=${encodeURIComponent(ids[kindOfParameter(route, name)!])}`;
            return answered(route, filled(route.path, (kind) => own[kind]) + query, bodyOf(route), ids);
          }),
        );
        expect([route.id, name, withTheirs]).toEqual([route.id, name, withNothing]);
        checked.push(`${route.id} ${name}`);
      }
    }
    expect(checked).toEqual(
      expect.arrayContaining([
        ...['listSpans trace_id', 'listSpans user_id', 'compareEvals runs', 'exportJson trace_id'],
        ...['getEvalStatistics baseline', 'listEvalItems datapoint_id'],
        ...['listTraces ids', 'listSpans ids', 'countTraces ids', 'countSpans ids'],
      ]),
    );
  });

  it('every route answers as to ids of nothing: in bodies', async () => {
    const checked: string[] = [];
    // A message of MCP has an id of its own; what tools take is tried in test/mcp/rights.full.e2e-spec.ts.
    const taking = routesOf(document).filter(({ id }) => id !== 'callMcp');
    const members = taking.flatMap((route) =>
      idMembers(route.operation.requestBody?.content['application/json']?.schema).map((path) => ({ route, path })),
    );
    // A try makes the trace that it names, so that the id names something from then on: test/replay/try.e2e-spec.ts.
    const others = members.filter(({ route, path }) => `${route.id} ${path.join('.')}` !== 'tryCall trace_id');
    // Ids that we choose ourselves come last: from then on they name something of ours. Sums come first: later spans of
    // ours have others' as their parents.
    const turnOf = ({ route, path }: (typeof members)[number]): number =>
      route.id === 'queryAnalyticsGroups' ? 0 : 1 + Number(path.at(-1) === 'id');
    for (const { route, path } of others.toSorted((a, b) => turnOf(a) - turnOf(b))) {
      if (!BODIES[route.id]) raise(`${route.id} takes ids and has no body here`);
      const kind = kindOf(path, route);
      const url = filled(route.path, (of) => own[of]);
      const answers: string[] = [];
      for (const ids of [foreign, nothing()]) {
        answers.push(await answered(route, url, withMember(bodyOf(route), path, ids[kind]), ids));
      }
      const [withTheirs, withNothing] = answers;
      expect([route.id, path, withTheirs]).toEqual([route.id, path, withNothing]);
      checked.push(`${route.id} ${path.join('.')}`);
    }
    expect(checked).toEqual(
      expect.arrayContaining([
        'createSpan trace_id',
        'ingest spans.0.trace_id',
        'exportSpan span_id',
        'exportSpans span_ids',
        'deleteDatapoints ids',
        'enqueueDatapoints datapoint_ids',
        'enqueueTargets trace_ids',
        'createAlert channel_ids',
        'startEval config.connection_id',
        'startEval config.judge.connection_id',
        'startEval scorers.0.judge.connection_id',
        'startEval gates.0.baseline_run_id',
        'startEval id',
        'tryCall span_id',
        'tryCall connection_id',
        'startEvalMatrix models.0.connection_id',
        'setEvalGates gates.0.baseline_run_id',
        'addEvalResults results.0.datapoint_id',
        'createKey project_id',
        'createMember project_id',
      ]),
    );
  });

  it('an item of theirs that next is to leave out leaves out none of ours', async () => {
    const queue = `/api/datasets/${own.dataset}/queue`;
    const answers: unknown[] = [];
    for (const exclude of [[foreign.item], [newId()]]) {
      const { body } = await ours.api.post<{ items: { id: string }[] }>(queue, { datapoint_ids: [own.datapoint] });
      const [open] = body.items;
      await ours.api.post(`/api/queue/${open!.id}/release`);
      const next = await ours.api.post<{ id: string; claimed_at: string }>(`${queue}/next`, { exclude });
      answers.push([next.status, { ...next.body, claimed_at: '' }]);
    }
    expect(answers[0]).toEqual([200, expect.objectContaining({ datapoint_id: own.datapoint })]);
    expect(answers[0]).toEqual(answers[1]);
  });

  it("an import of the other tenant's export makes copies of our own", async () => {
    const { body } = await theirs.api.get<object>('/api/export/json');
    const newcomer = await app.createTenant();
    expect((await newcomer.api.post('/api/import/json', body)).status).toBe(200);
    expect((await newcomer.api.delete('/api/traces')).status).toBe(200);
    expect((await newcomer.api.delete(`/api/datasets/${foreign.dataset}`)).status).toBe(200);
  });

  it('nothing of the other tenant changed by all this', async () => {
    expect(await everythingOf(theirs, foreign)).toEqual(before);
  });
});

/** The route of facets asks for values of each kind. */
const withFacets = ({ path, id }: Route): { path: string; id: string }[] =>
  id === 'getScoreQuality'
    ? [{ path: `${path}?name=${encodeURIComponent(THEIR_MARK)}`, id }]
    : id === 'listFacets'
      ? FACETS.map((of) => ({ path: `${path}?of=${of}`, id: `${id} ${of}` }))
      : [{ path, id }];

describe('a tenant', () => {
  it('sees nothing of others in any list, sum or export', async () => {
    const newcomer = await app.createTenant();
    const routes = routesOf(document).filter(
      ({ path, method, open }) => method === 'GET' && !open && !path.includes('{') && !/events|metrics/.test(path),
    );
    expect(routes.length).toBeGreaterThan(12);
    for (const { path, id } of routes.flatMap(withFacets)) {
      const { status, text } = await send(app.url, { method: 'GET', path, authorization: `Bearer ${newcomer.key}` });
      expect([id, status]).toEqual([id, 200]);
      const leaks = [THEIR_MARK, own.org, ...Object.values(foreign)];
      expect([id, leaks.filter((leak) => text.includes(leak))]).toEqual([id, []]);
      if (!/orgs|keys|audit-log|credential|prices|boards|session\/projects/.test(path))
        expect([id, text.match(/"count":[1-9]/)]).toEqual([id, null]);
    }
    const analytics = await newcomer.api.post<{ buckets: unknown[] }>('/api/analytics', {
      metric: 'span_count',
      granularity: 'day',
    });
    expect(JSON.stringify(analytics.body)).not.toContain(THEIR_MARK);
  });

  it('hears no event of others, and its rules capture nothing of theirs', async () => {
    const listener = await app.createTenant();
    const { dataset } = await plant(listener, 'the listener');
    const abort = new AbortController();
    let heard = '';
    const listen = async (query: string): Promise<void> => {
      const url = `${app.url}/api/events?since=0&token=${listener.key}${query}`;
      const response = await fetch(url, { signal: abort.signal });
      const reading = response.body!.pipeTo(
        new WritableStream({ write: (chunk) => void (heard += Buffer.from(chunk).toString()) }),
      );
      reading.catch(() => undefined);
    };
    await Promise.all([listen(''), listen('&view=outline'), listen(`&trace_id=${foreign.trace}`)]);
    for (const tenant of [theirs, listener]) {
      const name = tenant === listener ? 'our own bait' : THEIR_MARK;
      const trace = await tenant.api.post<{ id: string }>('/api/traces', { name });
      const kind = { type: 'llm_call', model: 'bait' };
      const span = await tenant.api.post<{ id: string }>('/api/spans', {
        trace_id: trace.body.id,
        name,
        kind,
        input: name,
      });
      await tenant.api.post(`/api/spans/${span.body.id}/complete`, {});
    }
    await until(() => heard.includes('capture_triggered'));
    abort.abort();
    expect(heard).toContain('our own bait');
    const leaks = [THEIR_MARK, ...Object.values(foreign)];
    expect(leaks.filter((leak) => heard.includes(leak))).toEqual([]);
    const { body } = await listener.api.get(`/api/datasets/${dataset}/datapoints`);
    expect(JSON.stringify(body)).toContain('our own bait');
    expect(JSON.stringify(body)).not.toContain(THEIR_MARK);
  });
});

describe('an export of OpenTelemetry', () => {
  const TRACE = '0af7651916cd43dd8448eb211c80319c';
  const [PARENT, CHILD, LATE] = ['00f067aa0ba902b7', 'b7ad6b7169203331', '53995c3f42cd8ad8'] as const;

  interface Attribute {
    key: string;
    value: { stringValue: string } | { intValue: number };
  }
  const text = (key: string, stringValue: string): Attribute => ({ key, value: { stringValue } });
  const count = (key: string, intValue: number): Attribute => ({ key, value: { intValue } });
  const called = (spanId: string, parentSpanId: string, mark: string): object => ({
    traceId: TRACE,
    ...{ spanId, parentSpanId, name: mark },
    ...{ startTimeUnixNano: '1795338000000000000', endTimeUnixNano: '1795338001000000000' },
    attributes: [
      text('gen_ai.operation.name', 'chat'),
      text('gen_ai.request.model', mark),
      text('session.id', `session of ${mark}`),
      count('gen_ai.usage.input_tokens', 7),
    ],
  });
  const exportOf = (...spans: object[]): object => ({ resourceSpans: [{ scopeSpans: [{ spans }] }] });
  const said = (spanId: string, mark: string): object => ({
    eventName: 'gen_ai.user.message',
    ...{ traceId: TRACE, spanId, timeUnixNano: '1795338000000000000' },
    body: { kvlistValue: { values: [text('content', mark)] } },
  });
  const logsOf = (...logRecords: object[]): object => ({ resourceLogs: [{ scopeLogs: [{ logRecords }] }] });

  it('reaches nothing of another tenant, whose trace and spans have the same ids', async () => {
    const [victim, attacker] = await Promise.all([app.createTenant(), app.createTenant()]);
    expect((await victim.api.post('/v1/traces', exportOf(called(PARENT, '', 'victim')))).status).toBe(200);
    const whole = await victim.api.get(`/api/traces/${TRACE}`);
    // A child that would cover the parent, messages for both spans, and one for a span that the victim sends later.
    expect((await attacker.api.post('/v1/traces', exportOf(called(CHILD, PARENT, 'attacker')))).status).toBe(200);
    const messages = logsOf(...[PARENT, CHILD, LATE].map((span) => said(span, 'attacker')));
    expect((await attacker.api.post('/v1/logs', messages)).status).toBe(200);
    expect((await victim.api.get(`/api/traces/${TRACE}`)).body).toEqual(whole.body);

    await victim.api.post('/v1/traces', exportOf(called(LATE, PARENT, 'victim')));
    const { body: theirTrace } = await victim.api.get<{ spans: { id: string; input: unknown }[] }>(
      `/api/traces/${TRACE}`,
    );
    expect(theirTrace.spans.map(({ id, input }) => [id, input]).toSorted()).toEqual([
      [PARENT, null],
      [LATE, null],
    ]);
    expect(JSON.stringify(theirTrace)).not.toContain('attacker');
    const { body: ownTrace } = await attacker.api.get(`/api/traces/${TRACE}`);
    expect(ownTrace).toMatchObject({
      trace: { session_id: 'session of attacker', span_count: 1, total_tokens: 7 },
      spans: [{ id: CHILD, input: [{ role: 'user', content: 'attacker' }] }],
    });
    expect(JSON.stringify(ownTrace)).not.toContain('victim');
  });
});
