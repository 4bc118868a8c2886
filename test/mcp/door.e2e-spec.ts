/** How messages of MCP come in and go out: over HTTP in local mode, and by the command on stdio (docs/spec/mcp.md). */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freePort } from '../support/ports.ts';
import { startServerApp, type ServerApp } from '../support/server-app.ts';
import { spawnSpandrel, tempDir } from '../support/spandrel.ts';
import { overHttp, type McpClient } from './clients.ts';

let app: ServerApp;
let client: McpClient;

beforeAll(async () => {
  app = await startServerApp({ dialect: 'sqlite', file: join(tempDir(), 'spandrel.db') });
  client = await overHttp({ url: app.url });
});

afterAll(async () => {
  await client?.close();
  await app?.close();
});

describe('the door', () => {
  const ask = (method: string, body?: unknown, headers: Record<string, string> = {}) =>
    fetch(`${app.url}/mcp`, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
  const request = (method: string, params: object = {}) => ({ jsonrpc: '2.0', id: 7, method, params });

  it('has no sessions: GET and DELETE are 405', async () => {
    for (const method of ['GET', 'DELETE']) {
      const response = await ask(method);
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
    }
  });

  it('answers a message by itself, in JSON, whatever the client accepts, also with a slash behind', async () => {
    const { body } = await app.api.send(
      'POST',
      '/mcp',
      request('tools/call', { name: 'list_datasets', arguments: {} }),
    );
    expect(body).toMatchObject({ jsonrpc: '2.0', id: 7, result: { content: [{ type: 'text' }] } });
    const response = await fetch(`${app.url}/mcp/`, {
      ...{ method: 'POST', headers: { 'content-type': 'application/json', accept: 'application/json' } },
      body: JSON.stringify(request('tools/list')),
    });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    expect(response.headers.get('mcp-session-id')).toBeNull();
    const notified = await ask('POST', { jsonrpc: '2.0', method: 'notifications/initialized' });
    expect([notified.status, await notified.text()]).toEqual([202, '']);
  });

  it.each<[string, unknown, number, number]>([
    ['a batch, which would be many calls in one', [request('tools/list')], 400, -32_600],
    ['a stream of changes, which never come', request('subscriptions/listen'), 404, -32_601],
    ['what is no JSON', '{"jsonrpc":', 400, -32_700],
    ['no message', '', 400, -32_600],
    ['a text', '"x"', 400, -32_600],
  ])('refuses %s', async (_what, body, status, code) => {
    const response = await ask('POST', body);
    const answer = (await response.json()) as { jsonrpc: string; error: { code: number; message: string } };
    expect([response.status, answer.jsonrpc, answer.error.code]).toEqual([status, '2.0', code]);
    expect(response.headers.get('x-request-id')).toBeTruthy();
  });

  it('is for programs of this machine: pages from elsewhere and other hosts are refused', async () => {
    const response = await ask('POST', request('tools/list'), { origin: 'https://evil.example' });
    expect([response.status, ((await response.json()) as { error: object }).error]).toMatchObject([
      403,
      { data: { code: 'host_not_allowed' } },
    ]);
  });

  it('counts calls by tool and by what became of them', async () => {
    const counts = async () => {
      const text = await (await fetch(`${app.url}/metrics`)).text();
      const of = (result: string) =>
        Number(
          new RegExp(`^spandrel_mcp_calls_total\\{tool="list_sessions",result="${result}"\\} (\\d+)`, 'm').exec(
            text,
          )![1],
        );
      return { ok: of('ok'), refused: of('refused'), failed: of('failed') };
    };
    const before = await counts();
    await client.call('list_sessions');
    await client.call('list_sessions', { limit: 0 });
    expect(await counts()).toEqual({ ok: before.ok + 1, refused: before.refused + 1, failed: 0 });
  });
});

describe('spandrel mcp', () => {
  /** Runs it on some lines of input, to its end. */
  const run = async (args: string[], input: string) => {
    const child = spawnSpandrel(['mcp', ...args], {}, ['pipe', 'pipe', 'pipe']);
    const texts = [child.stdout!, child.stderr!].map(async (stream) => {
      let text = '';
      for await (const piece of stream.setEncoding('utf8')) text += String(piece);
      return text;
    });
    const exited = new Promise<number | null>((done) => child.once('close', done));
    child.stdin!.end(input);
    const [output, errors] = await Promise.all(texts);
    return { code: await exited, output: output!, errors: errors! };
  };
  const list = '{"jsonrpc":"2.0","id":"a","method":"tools/list","params":{}}\n';

  it('answers every line and ends with its input', async () => {
    const { code, output, errors } = await run(['--url', `${app.url}/`], `${list}\n${list.replace('"a"', '2')}`);
    expect([code, errors]).toEqual([0, '']);
    const answers = output
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { id: unknown; result: { tools: [] } });
    expect(answers.map(({ id }) => id).toSorted()).toEqual([2, 'a']);
    expect(answers[0]!.result.tools).toHaveLength(13);
  });

  it('says where no server answers, and what is no URL', async () => {
    const nowhere = `http://127.0.0.1:${await freePort()}`;
    const [away, wrong] = await Promise.all([run(['--url', nowhere], list), run(['--url', 'nowhere'], list)]);
    expect([away.code, JSON.parse(away.output)]).toMatchObject([0, { id: 'a', error: { code: -32_000 } }]);
    expect(away.errors).toMatch(/^spandrel mcp: no Spandrel answers at http:\/\/127\.0\.0\.1:\d+ \(.*ECONNREFUSED.*\)/);
    expect([wrong.code, wrong.output]).toEqual([2, '']);
    expect(wrong.errors).toContain('--url: must be the address of a server');
  });
});
