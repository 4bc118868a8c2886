import { addAbortSignal } from 'node:stream';
import { Permits } from '@spandrel/kernel/launch';
import { jsonlRows } from '@spandrel/uploads';
import { addServerOptions, type ClientProgram } from '../client/client-command.js';
import { readServer, type ClientOptions, type Server } from '../client/server.js';
import { write, type CommandIo } from '../client/command-io.js';

/** Where a bridge passes messages to. */
interface BridgeTarget {
  /** Base URL of the API, without a slash at the end. */
  url: string;
  /** API key or JWT; `undefined`: none is sent, as local mode needs none. */
  key: string | undefined;
  /** Says to people what is wrong; each sentence comes once. */
  report: (fault: string) => void;
  fetch?: typeof fetch;
}

interface RpcMessage {
  id?: string | number | null;
  method?: string;
  params?: { name?: unknown; uri?: unknown; requestId?: unknown; _meta?: Record<string, unknown> };
}

const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;
const SERVER_ERROR = -32_000;

/** Longest message; the SDK of MCP reads none from a pipe that are longer. */
const MESSAGE_BYTES_MAX = 10 * 1024 * 1024;

const VERSION_IN_META = 'io.modelcontextprotocol/protocolVersion';

/** Messages of a kind that wait for their answers; each is a connection to the server. */
const AT_ONCE = 10;

/** Passes messages between a client that talks to a process and the server's `POST /mcp`, one message a request. */
export class McpBridge {
  /** Agreed with a client of 2025 by its first message; later clients say it in each. */
  private version: string | undefined;
  private readonly reported = new Set<string>();
  private readonly underWay = new Map<string | number, AbortController>();
  private readonly calls = new Permits(AT_ONCE);
  /** Notifications and pings: no call holds them up, however long it takes. */
  private readonly signs = new Permits(AT_ONCE);

  constructor(private readonly target: BridgeTarget) {}

  /**
   * @param line a message as JSON; `undefined` for one that is longer than {@link MESSAGE_BYTES_MAX}.
   * @returns the answer as JSON on one line; `undefined` where none is due.
   */
  async pass(line: string | undefined): Promise<string | undefined> {
    if (line === undefined) {
      return rpcError(null, INVALID_REQUEST, `the message is longer than ${MESSAGE_BYTES_MAX} bytes`);
    }
    let message: RpcMessage;
    try {
      message = JSON.parse(line) as RpcMessage;
    } catch {
      return rpcError(null, PARSE_ERROR, 'the line is no JSON: send one message of JSON-RPC 2.0 a line');
    }
    if (typeof message !== 'object' || message === null || Array.isArray(message)) {
      return rpcError(null, INVALID_REQUEST, 'the line is no object: send one message of JSON-RPC 2.0 a line');
    }
    if (message.method === 'notifications/cancelled') this.cancel(message);
    const id = message.id ?? null;
    const cancelled = new AbortController();
    if (id !== null) this.underWay.set(id, cancelled);
    const limit = id === null || message.method === 'ping' ? this.signs : this.calls;
    await limit.enter();
    try {
      const answer = await this.send(line, message, cancelled.signal);
      return id === null ? undefined : answer;
    } catch (error) {
      if (cancelled.signal.aborted) return undefined;
      const fault = this.faultOf(error);
      this.report(fault);
      return id === null ? undefined : rpcError(id, SERVER_ERROR, fault);
    } finally {
      limit.leave();
      if (id !== null) this.underWay.delete(id);
    }
  }

  private cancel({ params }: RpcMessage): void {
    const id = params?.requestId;
    if (typeof id === 'string' || typeof id === 'number') this.underWay.get(id)?.abort();
  }

  private async send(line: string, message: RpcMessage, signal: AbortSignal): Promise<string | undefined> {
    signal.throwIfAborted();
    const { url, fetch: send = fetch } = this.target;
    const response = await send(`${url}/mcp`, {
      method: 'POST',
      headers: this.readHeaders(message),
      body: line,
      signal,
    });
    const text = await response.text();
    if (response.ok && text === '') return undefined;
    const answer = rpcAnswer(text);
    if (!answer) throw new Fault(noMcpAt(url, response.status));
    if (message.method === 'initialize') this.version = versionIn(answer) ?? this.version;
    if (response.status === 401 || response.status === 403) this.report(refusalAt(url, answer));
    // An error that was made before the message was read does not know its id.
    const id = (answer['id'] ?? message.id ?? null) as RpcMessage['id'];
    return answer['id'] === id ? text : JSON.stringify({ ...answer, id });
  }

  private readHeaders({ method, params }: RpcMessage): Record<string, string> {
    const ownVersion = params?._meta?.[VERSION_IN_META];
    const version = typeof ownVersion === 'string' ? ownVersion : this.version;
    const named = params?.name ?? params?.uri;
    return {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(this.target.key !== undefined && { authorization: `Bearer ${this.target.key}` }),
      ...(version !== undefined && method !== 'initialize' && { 'mcp-protocol-version': version }),
      // Clients of 2026 name what they call in headers, too, and the server compares.
      ...(typeof ownVersion === 'string' && typeof method === 'string' && { 'mcp-method': method }),
      ...(typeof ownVersion === 'string' && typeof named === 'string' && { 'mcp-name': headerValue(named) }),
    };
  }

  private faultOf(error: unknown): string {
    if (error instanceof Fault) return error.message;
    const { cause } = error as { cause?: unknown };
    const reason = cause instanceof Error && cause.message !== '' ? cause.message : (error as Error).message;
    return `no Spandrel answers at ${this.target.url} (${reason}): is it running, and is --url or SPANDREL_API_URL right?`;
  }

  private report(fault: string): void {
    if (this.reported.has(fault)) return;
    this.reported.add(fault);
    this.target.report(fault);
  }
}

class Fault extends Error {}

const noMcpAt = (url: string, status: number): string =>
  status === 404
    ? `the server at ${url} has no MCP: it is no Spandrel, or the feature "mcp" is left out of its settings`
    : `the server at ${url} answered ${status}, which is no answer of MCP`;

function refusalAt(url: string, { error }: Record<string, unknown>): string {
  const { message } = (error ?? {}) as { message?: unknown };
  return `the server at ${url} refuses the credential: ${String(message)}; --key or SPANDREL_API_KEY names it`;
}

function rpcAnswer(text: string): Record<string, unknown> | undefined {
  try {
    const answer = JSON.parse(text) as Record<string, unknown>;
    return answer['jsonrpc'] === '2.0' ? answer : undefined;
  } catch {
    return undefined;
  }
}

const versionIn = (answer: Record<string, unknown>): string | undefined =>
  (answer['result'] as { protocolVersion?: string } | undefined)?.protocolVersion;

const rpcError = (id: string | number | null, code: number, message: string): string =>
  JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } });

/** What a header can hold as it is; anything else is written in Base64 between marks, as the protocol says. */
const PLAIN = /^(?!=\?base64\?)[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

const headerValue = (value: string): string =>
  PLAIN.test(value) ? value : `=?base64?${Buffer.from(value).toString('base64')}?=`;

/** Adds `spandrel mcp` (docs/mcp.md). */
export function addMcp({ program, io }: ClientProgram, description: string): void {
  addServerOptions(program.command('mcp').description(description)).action((options: ClientOptions) =>
    passMessages(readServer(options, io.env), io),
  );
}

/** Messages that are read and not answered; what the client writes beyond them stays in its pipe. */
const UNDER_WAY_MAX = 100;

/** Reads one message of JSON-RPC a line, and writes one answer a line. Ends when its input does, with all answered. */
async function passMessages({ url, key }: Server, { stdin, stdout, stderr, signal }: CommandIo): Promise<void> {
  const report = (fault: string): void => void stderr.write(`spandrel mcp: ${fault}\n`);
  const bridge = new McpBridge({ url, key, report });
  const underWay = new Set<Promise<void>>();
  const room = new Permits(UNDER_WAY_MAX);
  for await (const rows of jsonlRows(addAbortSignal(signal, stdin.setEncoding('utf8')), MESSAGE_BYTES_MAX)) {
    for (const row of rows) {
      await room.enter();
      const passed = bridge.pass('json' in row ? row.json : undefined).then((answer) => {
        if (answer !== undefined && !signal.aborted) return write(stdout, `${answer}\n`, signal);
      });
      underWay.add(passed);
      const end = (): void => {
        underWay.delete(passed);
        room.leave();
      };
      // Nobody reads any more where it fails: the signal ends the command.
      passed.then(end, end);
    }
  }
  await Promise.all(underWay);
}
