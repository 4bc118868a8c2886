/** The official clients of the Model Context Protocol, of this year and of the one before, over HTTP and over stdio. */
import { Client } from '@modelcontextprotocol/client';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as OldStdio } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as OldHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { commandLine } from '../support/spandrel.ts';

/** What a tool answered, read. */
export interface Answered {
  isError: boolean;
  /** The one text of the answer. */
  text: string;
  // oxlint-disable-next-line typescript/no-explicit-any
  body: any;
}

/** A tool as a client lists it. */
export interface Listed {
  name: string;
  description?: string | undefined;
  inputSchema: { properties?: Record<string, unknown> | undefined; required?: string[] | undefined };
  annotations?: Record<string, unknown> | undefined;
}

/** What all clients can do. */
export interface McpClient {
  list(): Promise<Listed[]>;
  call(name: string, args?: Record<string, unknown>): Promise<Answered>;
  /** `2026-07-28`, or the last version of the year before. */
  version(): string | undefined;
  close(): Promise<void>;
}

/** Where a client connects to. */
export interface Address {
  url: string;
  key?: string;
}

const INFO = { name: 'test', version: '1.0.0' };

const bearer = (key?: string): Record<string, string> => (key === undefined ? {} : { authorization: `Bearer ${key}` });

/** What `spandrel mcp` is started with. */
function stdioOf({ url, key }: Address) {
  const [command, ...args] = commandLine(['mcp', '--url', url]);
  const env = { ...(process.env as Record<string, string>), ...(key !== undefined && { SPANDREL_API_KEY: key }) };
  return { command: command!, args, env, stderr: 'pipe' as const };
}

interface AnyClient {
  listTools(): Promise<{ tools: Listed[] }>;
  callTool(call: { name: string; arguments?: Record<string, unknown> }): Promise<unknown>;
  close(): Promise<void>;
}

function wrapped(client: AnyClient, version: () => string | undefined): McpClient {
  return {
    list: async () => (await client.listTools()).tools,
    call: async (name, args) => {
      const { content, isError } = (await client.callTool({ name, ...(args && { arguments: args }) })) as {
        content: { type: string; text: string }[];
        isError?: boolean;
      };
      if (content.length !== 1 || content[0]!.type !== 'text')
        throw new Error(`not one text: ${JSON.stringify(content)}`);
      const { text } = content[0]!;
      return { isError: isError === true, text, body: JSON.parse(text) as unknown };
    },
    version,
    close: () => client.close(),
  };
}

async function newClient(
  transport: ConstructorParameters<typeof StreamableHTTPClientTransport> | ReturnType<typeof stdioOf>,
) {
  const client = new Client(INFO, { versionNegotiation: { mode: 'auto' } });
  await client.connect(
    Array.isArray(transport) ? new StreamableHTTPClientTransport(...transport) : new StdioClientTransport(transport),
  );
  return wrapped(client as unknown as AnyClient, () => client.getNegotiatedProtocolVersion());
}

async function oldClient(transport: OldHttp | OldStdio): Promise<McpClient> {
  const client = new OldClient(INFO);
  const noted: { version?: string } = {};
  // The client shows its transport which version was agreed.
  const { setProtocolVersion: reported } = transport as { setProtocolVersion?: (version: string) => void };
  const setProtocolVersion = (version: string): void => {
    noted.version = version;
    reported?.call(transport, version);
  };
  Object.assign(transport, { setProtocolVersion });
  await client.connect(transport as Parameters<OldClient['connect']>[0]);
  return wrapped(client as unknown as AnyClient, () => noted.version);
}

/** Connects the client of this year over HTTP. */
export const overHttp = ({ url, key }: Address): Promise<McpClient> =>
  newClient([new URL(`${url}/mcp`), { requestInit: { headers: bearer(key) } }]);

/** Each way to connect, by its name. */
export const CONNECTIONS: Readonly<Record<string, (address: Address) => Promise<McpClient>>> = {
  'client 2 over HTTP': overHttp,
  'client 2 over stdio': (address) => newClient(stdioOf(address)),
  'client 1 over HTTP': ({ url, key }) =>
    oldClient(new OldHttp(new URL(`${url}/mcp`), { requestInit: { headers: bearer(key) } })),
  'client 1 over stdio': (address) => oldClient(new OldStdio(stdioOf(address))),
};
