import { describe, expect, it } from '@jest/globals';
import { McpBridge } from './mcp-command.js';

interface Sent {
  url: string;
  headers: Record<string, string>;
  body: string;
}

/** A bridge to a server that answers as asked. */
function bridgeTo(answer: (sent: Sent, signal: AbortSignal) => Response | Promise<Response>, key?: string) {
  const sent: Sent[] = [];
  const reported: string[] = [];
  const bridge = new McpBridge({
    ...{ url: 'http://server:3000', key, report: (fault) => reported.push(fault) },
    fetch: async (url, init) => {
      const one = { url: String(url), headers: init!.headers as Record<string, string>, body: init!.body as string };
      sent.push(one);
      return answer(one, init!.signal!);
    },
  });
  return { bridge, sent, reported };
}

const request = (method: string, params: object = {}, id: number | string = 1): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params });
const result = (id: number | string, of: object): string => JSON.stringify({ jsonrpc: '2.0', id, result: of });
const passed = async (bridge: McpBridge, line: string): Promise<unknown> => {
  const answer = await bridge.pass(line);
  return answer === undefined ? undefined : JSON.parse(answer);
};

describe('the bridge between stdio and POST /mcp', () => {
  it('passes a message on as it is written, and the answer back', async () => {
    const { bridge, sent } = bridgeTo(() => new Response(result(1, { tools: [] })), 'spn_sk_x');
    const line = '{"jsonrpc":"2.0", "id":1,"method":"tools/list","params":{"n":12345678901234567890}}';
    expect(await bridge.pass(line)).toBe(result(1, { tools: [] }));
    expect(sent).toEqual([
      {
        url: 'http://server:3000/mcp',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          authorization: 'Bearer spn_sk_x',
        },
        body: line,
      },
    ]);
  });

  it('names the version that a client of 2025 agreed on', async () => {
    const { bridge, sent } = bridgeTo(() => new Response(result(1, { protocolVersion: '2025-11-25' })));
    await bridge.pass(request('initialize', { protocolVersion: '2025-11-25' }));
    await bridge.pass(request('tools/list'));
    expect(sent.map(({ headers }) => headers['mcp-protocol-version'])).toEqual([undefined, '2025-11-25']);
  });

  it('says in headers what a client of 2026 says in the message', async () => {
    const { bridge, sent } = bridgeTo(() => new Response(result(1, {})));
    const _meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };
    await bridge.pass(request('tools/call', { name: 'get_span', _meta }));
    await bridge.pass(request('tools/call', { name: 'größe', _meta }));
    expect(sent.map(({ headers }) => headers)).toMatchObject([
      { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'get_span' },
      { 'mcp-name': `=?base64?${Buffer.from('größe').toString('base64')}?=` },
    ]);
  });

  it('answers nothing to a notification, whatever becomes of it', async () => {
    const { bridge } = bridgeTo(() => new Response(null, { status: 202 }));
    expect(await bridge.pass('{"jsonrpc":"2.0","method":"notifications/initialized"}')).toBeUndefined();
    const broken = bridgeTo(() => Promise.reject(new TypeError('fetch failed')));
    expect(await broken.bridge.pass('{"jsonrpc":"2.0","method":"notifications/initialized"}')).toBeUndefined();
    expect(broken.reported).toHaveLength(1);
  });

  it('says in an error, and once on standard error, that no server answers', async () => {
    const cause = new Error('connect ECONNREFUSED 127.0.0.1:3000');
    const { bridge, reported } = bridgeTo(() => Promise.reject(new TypeError('fetch failed', { cause })));
    const message =
      'no Spandrel answers at http://server:3000 (connect ECONNREFUSED 127.0.0.1:3000): is it running, and is --url or SPANDREL_API_URL right?';
    for (const id of [1, 'two']) {
      expect(await passed(bridge, request('tools/list', {}, id))).toEqual({
        ...{ jsonrpc: '2.0', id, error: { code: -32_000, message } },
      });
    }
    expect(reported).toEqual([message]);
  });

  it.each([
    [
      404,
      '{"code":"not_found"}',
      'the server at http://server:3000 has no MCP: it is no Spandrel, or the feature "mcp" is left out of its settings',
    ],
    [502, '<html>', 'the server at http://server:3000 answered 502, which is no answer of MCP'],
  ])('says what an answer of %i means that is none of MCP', async (status, body, message) => {
    const { bridge, reported } = bridgeTo(() => new Response(body, { status }));
    expect(await passed(bridge, request('tools/list'))).toMatchObject({ id: 1, error: { message } });
    expect(reported).toEqual([message]);
  });

  it('gives a refusal the id of the request, and asks for a credential', async () => {
    const refusal = { jsonrpc: '2.0', id: null, error: { code: -32_000, message: 'a credential is needed' } };
    const { bridge, reported } = bridgeTo(() => new Response(JSON.stringify(refusal), { status: 401 }));
    expect(await passed(bridge, request('tools/list', {}, 9))).toEqual({ ...refusal, id: 9 });
    expect(reported).toEqual([
      'the server at http://server:3000 refuses the credential: a credential is needed; --key or SPANDREL_API_KEY names it',
    ]);
  });

  it.each([
    ['{"jsonrpc"', -32_700],
    ['null', -32_600],
    ['5', -32_600],
    ['[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32_600],
  ])('refuses the line %s, which is no message', async (line, code) => {
    const { bridge, sent, reported } = bridgeTo(() => new Response(''));
    expect(await passed(bridge, line)).toMatchObject({ id: null, error: { code } });
    expect([sent, reported]).toEqual([[], []]);
  });

  it('gives up what the client cancels, and answers nothing more', async () => {
    const { bridge, reported } = bridgeTo(({ body }, signal) =>
      body.includes('cancelled')
        ? new Response(null, { status: 202 })
        : new Promise((_answer, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
    );
    const call = bridge.pass(request('tools/call', { name: 'list_spans' }, 5));
    await bridge.pass('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}');
    expect(await call).toBeUndefined();
    expect(reported).toEqual([]);
  });
});
