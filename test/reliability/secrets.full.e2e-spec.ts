/** Credentials planted wherever callers put them: none comes to rest in the clear. */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startFakeProvider, type FakeProvider } from '../fake-provider/start-fake-provider.ts';
import { keptCalls } from '../gateway/support/spool-files.ts';
import { openLink, type Link } from '../support/cut-link.ts';
import type { Place, Program } from '../support/places.ts';
import { until } from '../support/spandrel.ts';
import { describeOnBothDatabases } from '../support/databases.ts';

/** One canary a place, so that a find says where it came from. */
const canary = (place: string): string => `sk-canary-${place}-0123456789abcdef`;
const CANARY = /sk-canary-[\w-]+|c2stY2FuYXJ5[\w+/=]*/g;

/** Each way in which callers authenticate; `wanted` is what the upstream must get. */
const CREDENTIALS: [place: string, headers: Record<string, string>, query: string][] = [
  ['bearer', { authorization: `Bearer ${canary('bearer')}` }, ''],
  ['basic', { authorization: `Basic ${Buffer.from(canary('basic')).toString('base64')}` }, ''],
  ['apikey', { 'x-api-key': canary('apikey') }, ''],
  ['azure', { 'api-key': canary('azure') }, ''],
  ['google', { 'x-goog-api-key': canary('google') }, ''],
  ['cookie', { cookie: `a=b; session=${canary('cookie')}` }, ''],
  ['query', {}, `?key=${canary('query')}`],
  ['accesstoken', {}, `?x=1&access_token=${canary('accesstoken')}`],
  ['spandrel', { 'x-spandrel-key': canary('spandrel') }, ''],
  ['token', {}, `?token=${canary('token')}`],
  ['proxy', { 'proxy-authorization': `Bearer ${canary('proxy')}` }, ''],
];
const ENDPOINTS = ['/v1/chat/completions', '/v1/responses', '/v1/messages', '/api/chat', '/v1/models'];
/** The upstream repeats the key; it repeats what was said; it fails, is cut, answers nonsense, is not there. */
const SCENARIOS = ['error-key', 'error-key+gzip', 'error-401', 'echo', 'cut', 'garbage'];

/**
 * Sends every credential to every endpoint in every scenario. Answers are the caller's own and may hold its key.
 * @param own what cloud mode wants of its callers
 * @param whole otherwise each with an endpoint by turns, so that still every two of the three meet
 */
async function callWithCanaries(
  gatewayUrl: string,
  own: Readonly<Record<string, string>>,
  scenarios: readonly string[],
  whole: boolean,
): Promise<void> {
  const calls = CREDENTIALS.flatMap(([place, headers, query], c) =>
    scenarios.flatMap((scenario, s) =>
      ENDPOINTS.filter((_path, e) => whole || (c + s) % ENDPOINTS.length === e).map((path) => ({
        place,
        headers,
        url: gatewayUrl + path + query,
        scenario,
      })),
    ),
  );
  for (let sent = 0; sent < calls.length; sent += 40) {
    await Promise.all(
      calls.slice(sent, sent + 40).map(async ({ place, headers, url, scenario }, n) => {
        const content = `my key is ${canary(place)}, please remember`;
        await fetch(url, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-fake': scenario, ...own, ...headers },
          body: JSON.stringify({
            model: 'gpt-4o',
            stream: n % 2 === 0,
            input: content,
            messages: [{ role: 'user', content }],
          }),
        })
          .then((answer) => answer.arrayBuffer())
          .catch(() => undefined);
      }),
    );
  }
}

/** The canaries in a text, and the Spandrel key of cloud mode. */
const secretsIn = (text: string, { key }: Place): string[] => [
  ...(text.match(CANARY) ?? []),
  ...(key !== undefined && text.includes(key.slice(-20)) ? ['the Spandrel key'] : []),
];

/** The secrets found in what is kept, whatever its format, each with the name of its file or table. */
async function secretsKept(place: Place): Promise<string[]> {
  return (await place.contents()).flatMap(([name, bytes]) =>
    [bytes.toString('latin1'), bytes.toString('utf16le')].flatMap((text) =>
      secretsIn(text, place).map((found) => `${name}: ${found}`),
    ),
  );
}

describeOnBothDatabases('a credential', ({ takePlace }) => {
  let provider: FakeProvider;
  let place: Place;
  let server: Program;
  /** From the gateway to the server. */
  let link: Link;
  let gateway: Program;
  /** In the data directory, so that it is searched too. */
  let spoolDir: string;
  const startGateway = (): Promise<Program> => {
    const urls = ['OPENAI', 'ANTHROPIC', 'OLLAMA'].map((name) => [`SPANDREL_${name}_BASE_URL`, provider.url]);
    const apiUrl = `http://127.0.0.1:${link.port}`;
    const env = {
      SPANDREL_LOG_LEVEL: 'trace',
      SPANDREL_ACCESS_LOG: 'true',
      SPANDREL_API_URL: apiUrl,
      SPANDREL_SPOOL_DIR: spoolDir,
    };
    return place.start({ command: 'gateway', env: { ...env, ...Object.fromEntries(urls) } });
  };
  // The database has no part in what is done with a call: with the second one, fewer will do.
  const call = (scenarios: readonly string[], whole = place.mode === 'local'): Promise<void> =>
    callWithCanaries(gateway.gatewayUrl, place.gatewayHeaders, scenarios, whole);
  const textOf = async (url: string): Promise<string> => (await fetch(url, { headers: place.headers })).text();
  const isDelivered = async (): Promise<boolean> =>
    /^spandrel_gateway_spool_items 0$/m.test(await textOf(`${gateway.gatewayUrl}/metrics`));

  beforeAll(async () => {
    provider = await startFakeProvider();
    place = await takePlace();
    spoolDir = join(place.dataDir, 'spool');
    server = await place.start({
      command: 'server',
      env: { SPANDREL_LOG_LEVEL: 'trace', SPANDREL_ACCESS_LOG: 'true' },
    });
    link = await openLink(Number(new URL(server.apiUrl).port));
    gateway = await startGateway();
  });
  afterAll(async () => {
    link?.close();
    await place?.close();
    await provider.close();
  });

  it('in a call reaches the upstream, and no log, answer of the API, metric, file, table or spool', async () => {
    await call(SCENARIOS);
    const reached = JSON.stringify(provider.requests.map(({ rawHeaders, url }) => [rawHeaders, url]));
    for (const where of ['bearer', 'apikey', 'azure', 'google', 'cookie', 'query', 'accesstoken']) {
      expect(reached).toContain(canary(where));
    }
    for (const where of ['spandrel', 'token', 'proxy']) expect(reached).not.toContain(canary(where));
    const { apiUrl } = server;
    const { gatewayUrl } = gateway;
    await until(isDelivered);
    const answers = await Promise.all([
      textOf(`${apiUrl}/api/spans?limit=1000`),
      textOf(`${apiUrl}/api/traces?limit=1000`),
      textOf(`${gatewayUrl}/metrics`),
      textOf(`${gatewayUrl}/readyz`),
      textOf(`${apiUrl}/readyz`),
      textOf(`${apiUrl}/api/health`),
    ]);
    expect((JSON.parse(answers[0]!) as { count: number }).count).toBeGreaterThan(40);
    expect(answers[0]).toContain('[redacted]');
    expect(secretsIn(answers.join('\n'), place)).toEqual([]);
    // While the server runs, with the write-ahead log.
    expect(await secretsKept(place)).toEqual([]);
    expect(secretsIn(gateway.output(), place)).toEqual([]);
  });

  it('sent to the API comes back in no error, log, file or table', async () => {
    const answers: string[] = [];
    for (const [, headers, query] of CREDENTIALS) {
      for (const [method, path, body] of [
        ['GET', '/api/traces', undefined],
        ['GET', '/api/nothing', undefined],
        ['POST', '/api/traces', '{"name":"n"}'],
        ['POST', '/api/traces', '{"name":7}'],
        ['POST', '/api/traces', '{"name":'],
        ['POST', '/api/ingest', '{"spans":[{"id":"x"}]}'],
        ['GET', '/api/spans/nothing', undefined],
        ['PATCH', '/api/traces/nothing', '{}'],
      ] as const) {
        answers.push(JSON.stringify((await server.api.unchecked.send(method, path + query, body, headers)).body));
      }
    }
    // The request id is the caller's own; a hostile one is not taken.
    const { headers } = await server.api.send('GET', '/api/health', undefined, { 'x-request-id': `${canary('id')} x` });
    answers.push(headers.get('x-request-id') ?? '');
    expect(secretsIn(answers.join('\n'), place)).toEqual([]);
    expect(await secretsKept(place)).toEqual([]);
    expect(secretsIn(server.output(), place)).toEqual([]);
  });

  it('is in no file of the spool while calls are under way, the API is away, the upstream is away, or after kill -9', async () => {
    link.cut();
    await call(['error-key', 'echo', 'cut']);
    provider.requests.length = 0;
    const underWay = call(['slow-stream:1500'], true);
    await until(() => provider.requests.length >= 20);
    await until(() => keptCalls(spoolDir).length > 40);
    expect(await secretsKept(place)).toEqual([]);
    await gateway.stop('SIGKILL');
    await underWay;
    expect(await secretsKept(place)).toEqual([]);
    expect(secretsIn(gateway.output(), place)).toEqual([]);

    await provider.close();
    gateway = await startGateway();
    await call(['echo']);
    expect(await secretsKept(place)).toEqual([]);
    link.mend();
    // In cloud mode none of the callers before was let in: their keys could not be asked about.
    await call(['echo']);
    await until(isDelivered);
    for (const program of [gateway, server]) {
      expect(await program.stop()).toBe(0);
      expect(secretsIn(program.output(), place)).toEqual([]);
    }
    // Also what was delivered of the calls that the kill cut.
    expect(await secretsKept(place)).toEqual([]);
  });
});
