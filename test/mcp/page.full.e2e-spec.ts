/** The examples of docs/mcp.md: each connects as it stands there, at a server of the test. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { loadSettings } from '@spandrel/kernel';
import { McpSettings } from '@spandrel/mcp';
import { SERVER_SETTINGS } from '@spandrel/server/settings';
import { startServerApp, type ServerApp } from '../support/server-app.ts';
import { tempDir } from '../support/spandrel.ts';

const PAGE = readFileSync('docs/mcp.md', 'utf8');
const blocks = (language: string): string[] =>
  [...PAGE.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'gms'))].map(([, code]) => code!);
const run = promisify(execFile);

let app: ServerApp;
beforeAll(async () => {
  app = await startServerApp({ dialect: 'sqlite', file: join(tempDir(), 'spandrel.db') });
  await app.api.post('/api/ingest', {
    traces: [{ id: 't' }],
    spans: [{ id: 's', trace_id: 't', name: 'asked', error: 'it broke' }],
  });
});
afterAll(() => app?.close());

/** An example with the addresses of this machine, and a key. */
const here = (text: string): string =>
  text
    .replaceAll(/http:\/\/127\.0\.0\.1:3000|https:\/\/spandrel\.example\.com/g, app.url)
    .replaceAll('/path/to/spandrel', resolve('.'))
    .replaceAll(/\$\{?SPANDREL_API_KEY\}?/g, 'spn_sk_of_the_example');

/** A server as files of clients name it. */
interface Configured {
  type?: 'http';
  url?: string;
  headers?: Record<string, string>;
  command?: string;
  args?: string[];
  env?: Record<string, string>;
}

async function toolsOf({ url, headers = {}, command, args = [], env = {} }: Configured): Promise<string[]> {
  const client = new Client({ name: 'page', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  const node = { command: command === 'node' ? process.execPath : command!, args };
  await client.connect(
    url === undefined
      ? new StdioClientTransport({
          ...node,
          env: { ...(process.env as Record<string, string>), ...env },
          stderr: 'ignore',
        })
      : new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }),
  );
  const { tools } = await client.listTools();
  await client.close();
  return tools.map(({ name }) => name);
}

describe('docs/mcp.md', () => {
  it('has files of clients that connect', async () => {
    const files = blocks('json').map((text) => JSON.parse(here(text)) as Record<string, Record<string, Configured>>);
    expect(files.map((file) => Object.keys(file))).toEqual([
      ['mcpServers'],
      ['mcpServers'],
      ['servers'],
      ['mcpServers'],
    ]);
    for (const file of files) {
      const [servers] = Object.values(file);
      expect(Object.keys(servers!)).toEqual(['spandrel']);
      expect(await toolsOf(servers!['spandrel']!)).toContain('list_traces');
    }
  });

  it('has commands of Claude Code that name what connects', async () => {
    const commands = blocks('sh').filter((text) => text.startsWith('claude mcp add'));
    expect(commands).toHaveLength(2);
    for (const command of commands) {
      const words = [...here(command).matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain!);
      expect(words.slice(0, 6)).toEqual(['claude', 'mcp', 'add', '--transport', 'http', 'spandrel']);
      const [, header] = words.splice(
        words.indexOf('--header', 7) === -1 ? words.length : words.indexOf('--header'),
        2,
      );
      const [name, value] = header?.split(': ') ?? [];
      expect(await toolsOf({ url: words[6]!, headers: name === undefined ? {} : { [name]: value! } })).toContain(
        'get_span',
      );
    }
  });

  it('has a program and a request that are answered', async () => {
    const [program] = blocks('js');
    const file = resolve('node_modules/.cache/mcp-page-example.mjs');
    writeFileSync(file, here(program!));
    try {
      const { stdout } = await run(process.execPath, [file]);
      expect(stdout).toContain("error: 'it broke'");
    } finally {
      rmSync(file);
    }
    const curl = blocks('sh').find((text) => text.startsWith('curl'))!;
    const { stdout } = await run('sh', ['-c', here(curl)]);
    const { result } = JSON.parse(stdout) as { result: { content: { text: string }[] } };
    expect(JSON.parse(result.content[0]!.text)).toMatchObject({ total: { span_count: 1, error_count: 1 } });
  });

  it('has settings that let agents write', () => {
    const [yaml] = blocks('yaml');
    const file = join(tempDir(), 'my.yaml');
    writeFileSync(file, yaml!);
    expect(
      loadSettings(SERVER_SETTINGS, { args: ['--config', file], env: {}, cwd: process.cwd() }).of(McpSettings).write,
    ).toBe(true);
    expect(loadSettings(SERVER_SETTINGS, { args: [], env: {}, cwd: process.cwd() }).of(McpSettings).write).toBe(false);
  });

  it('and its specification name every tool that there is', async () => {
    const tools = [...(await toolsOf({ url: `${app.url}/mcp` })), 'search_spans'];
    const law = readFileSync('docs/spec/mcp.md', 'utf8');
    const named = [...law.matchAll(/^\| `([a-z]+_[a-z_]+)`/gm)].map(([, name]) => name!);
    const writes = [
      'create_dataset',
      'add_datapoints',
      'export_span',
      'start_run',
      'cancel_run',
      'enqueue_reviews',
      'add_score',
    ];
    expect(named.toSorted()).toEqual([...tools, ...writes].toSorted());
  });
});
