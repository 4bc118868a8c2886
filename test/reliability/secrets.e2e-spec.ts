/** Credentials planted wherever callers put them: none comes to rest in the clear. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { startFakeProvider, type FakeProvider } from '../fake-provider/start-fake-provider.ts';
import { Api } from '../support/api.ts';
import { startSpandrel, tempDir, until, type Spandrel } from '../support/spandrel.ts';

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});

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

/** Sends every credential to every endpoint in every scenario. Answers are the caller's own and may hold its key. */
async function callWithCanaries(gatewayUrl: string, scenarios = SCENARIOS): Promise<void> {
  const calls = CREDENTIALS.flatMap(([place, headers, query]) =>
    ENDPOINTS.flatMap((path) =>
      scenarios.map((scenario) => ({ place, headers, url: gatewayUrl + path + query, scenario })),
    ),
  );
  for (let sent = 0; sent < calls.length; sent += 40) {
    await Promise.all(
      calls.slice(sent, sent + 40).map(async ({ place, headers, url, scenario }, n) => {
        const content = `my key is ${canary(place)}, please remember`;
        await fetch(url, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-fake': scenario, ...headers },
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

/** The canaries in a file, or in all files below a folder, whatever their format; with the file's name. */
function canariesIn(path: string): string[] {
  const stats = statSync(path);
  if (stats.isDirectory()) return readdirSync(path).flatMap((name) => canariesIn(join(path, name)));
  if (!stats.isFile()) return [];
  const bytes = readFileSync(path);
  const texts = [bytes.toString('latin1'), bytes.toString('utf16le')];
  return texts.flatMap((text) => (text.match(CANARY) ?? []).map((found) => `${path}: ${found}`));
}

async function start(options: Parameters<typeof startSpandrel>[0], provider: FakeProvider): Promise<Spandrel> {
  const urls = Object.fromEntries(
    ['OPENAI', 'ANTHROPIC', 'OLLAMA'].map((name) => [`SPANDREL_${name}_BASE_URL`, provider.url]),
  );
  const spandrel = await startSpandrel({ ...options, env: { SPANDREL_LOG_LEVEL: 'trace', ...urls, ...options?.env } });
  cleanUps.push(() => spandrel.stop('SIGKILL'));
  return spandrel;
}

async function startProvider(): Promise<FakeProvider> {
  const provider = await startFakeProvider();
  cleanUps.push(() => provider.close());
  return provider;
}

const textOf = async (url: string): Promise<string> => (await fetch(url)).text();
const delivered = async ({ gatewayUrl }: Spandrel): Promise<boolean> =>
  /^spandrel_gateway_spool_items 0$/m.test(await textOf(`${gatewayUrl}/metrics`));

describe('a credential', () => {
  it('in a call reaches the upstream, and no log, answer of the API, metric, database file or spool', async () => {
    const provider = await startProvider();
    const spoolDir = tempDir();
    const spandrel = await start({ env: { SPANDREL_SPOOL_DIR: spoolDir } }, provider);
    await callWithCanaries(spandrel.gatewayUrl);
    const reached = JSON.stringify(provider.requests.map(({ rawHeaders, url }) => [rawHeaders, url]));
    for (const place of ['bearer', 'apikey', 'azure', 'google', 'cookie', 'query', 'accesstoken']) {
      expect(reached).toContain(canary(place));
    }
    for (const place of ['spandrel', 'token', 'proxy']) expect(reached).not.toContain(canary(place));
    await until(() => delivered(spandrel));
    const { apiUrl, gatewayUrl } = spandrel;
    const answers = await Promise.all([
      textOf(`${apiUrl}/api/spans?limit=1000`),
      textOf(`${apiUrl}/api/traces?limit=1000`),
      textOf(`${gatewayUrl}/metrics`),
      textOf(`${gatewayUrl}/readyz`),
      textOf(`${apiUrl}/readyz`),
      textOf(`${apiUrl}/api/health`),
    ]);
    expect((JSON.parse(answers[0]!) as { count: number }).count).toBeGreaterThan(200);
    expect(answers[0]).toContain('[redacted]');
    for (const answer of answers) expect(answer.match(CANARY)).toBeNull();
    // While it runs, with the write-ahead log, and when it has stopped.
    expect([...canariesIn(spandrel.dataDir), ...canariesIn(spoolDir)]).toEqual([]);
    expect(await spandrel.stop()).toBe(0);
    expect([...canariesIn(spandrel.dataDir), ...canariesIn(spoolDir)]).toEqual([]);
    expect(spandrel.output().match(CANARY)).toBeNull();
  });

  it('is in no file of the spool while calls are under way, the API is away, the upstream is away, or after kill -9', async () => {
    const provider = await startProvider();
    const spoolDir = tempDir();
    const options = {
      command: 'gateway' as const,
      env: { SPANDREL_SPOOL_DIR: spoolDir, SPANDREL_API_URL: 'http://127.0.0.1:9' },
    };
    const gateway = await start(options, provider);
    await callWithCanaries(gateway.gatewayUrl, ['error-key', 'echo', 'cut']);
    const underWay = callWithCanaries(gateway.gatewayUrl, ['slow-stream:1500']);
    const expected = provider.requests.length + 20;
    await until(() => provider.requests.length >= expected);
    expect(readdirSync(spoolDir).length).toBeGreaterThan(100);
    expect(canariesIn(spoolDir)).toEqual([]);
    await gateway.stop('SIGKILL');
    await underWay;
    expect(canariesIn(spoolDir)).toEqual([]);
    expect(gateway.output().match(CANARY)).toBeNull();

    const away = await startProvider();
    const unreachable = await start(options, away);
    await away.close();
    await callWithCanaries(unreachable.gatewayUrl, ['echo']);
    expect(await unreachable.stop()).toBe(0);
    expect(canariesIn(spoolDir)).toEqual([]);
    expect(unreachable.output().match(CANARY)).toBeNull();
  });

  it('sent to the API comes back in no error, log or database file', async () => {
    const provider = await startProvider();
    const spandrel = await start({}, provider);
    const api = new Api(spandrel.apiUrl);
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
        answers.push(JSON.stringify((await api.unchecked.send(method, path + query, body, headers)).body));
      }
    }
    // The request id is the caller's own; a hostile one is not taken.
    const { headers } = await api.send('GET', '/api/health', undefined, { 'x-request-id': `${canary('id')} x` });
    answers.push(headers.get('x-request-id') ?? '');
    expect(await spandrel.stop()).toBe(0);
    expect(answers.join('\n').match(CANARY)).toBeNull();
    expect(canariesIn(spandrel.dataDir)).toEqual([]);
    expect(spandrel.output().match(CANARY)).toBeNull();
  });
});
