import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { freePort } from '../support/ports.ts';
import { jsonAnswer, lastSaid, type FakeAnswer, type FakeCall } from './answer.ts';
import { anthropicAnswer, anthropicError } from './anthropic-answers.ts';
import { deliver, SentAnswer } from './deliver.ts';
import { ollamaAnswer, ollamaError } from './ollama-answers.ts';
import { openAiAnswer, openAiError } from './openai-answers.ts';
import { responsesAnswer } from './responses-answers.ts';
import { errorStatusOf, numberOf, readScenario, type Scenario } from './scenario.ts';
import { acceptWebSocketEcho } from './websocket-echo.ts';

/** A request as it arrived, and what it was answered. */
interface RecordedCall {
  method: string;
  url: string;
  /** Names and values by turns, as they came. */
  rawHeaders: string[];
  body: Buffer;
  answer: SentAnswer;
  /** True once the caller went away before the answer was sent. */
  aborted: boolean;
}

export interface FakeProvider {
  /** `http://127.0.0.1:<port>` */
  url: string;
  port: number;
  /** All requests so far, in the order their bodies were complete; tests may empty it. */
  requests: RecordedCall[];
  /** Answers the calls of the scenario `held` that wait. */
  release(): void;
  close(): Promise<void>;
}

export interface FakeProviderOptions {
  /** A free one by default, which nobody else is given once the provider is away. */
  port?: number;
  /** Requests to keep; the oldest are forgotten. */
  requestsMax?: number;
}

/**
 * Whether a call is still to be answered. A caller that is ended in the turn of the loop in which this is asked never gets its
 * answer: this provider runs in the test itself.
 */
export const isWaiting = ({ answer, aborted }: RecordedCall): boolean => !answer.complete && !aborted;

/** Starts a server on loopback that speaks the formats of all providers. See `scenario.ts` for what it can do. */
export async function startFakeProvider(options: FakeProviderOptions = {}): Promise<FakeProvider> {
  const { port = await freePort(), requestsMax = 10_000 } = options;
  const requests: RecordedCall[] = [];
  const said = new Map<string, number>();
  let held = Promise.withResolvers<void>();
  const server = createServer((request, response) => {
    answer(request, response, requests, said, () => held.promise).catch(() => response.destroy());
    if (requests.length >= requestsMax) requests.splice(0, requests.length - requestsMax + 1);
  });
  const upgraded = new Set<{ destroy(): void }>();
  server.on('upgrade', (request, socket) => {
    upgraded.add(socket);
    socket.once('close', () => upgraded.delete(socket));
    acceptWebSocketEcho(request, socket);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const address = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${address.port}`,
    port: address.port,
    requests,
    release: () => {
      held.resolve();
      held = Promise.withResolvers();
    },
    close: () => close(server, upgraded),
  };
}

function close(server: Server, upgraded: Set<{ destroy(): void }>): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  for (const socket of upgraded) socket.destroy();
  return closed;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  requests: RecordedCall[],
  said: Map<string, number>,
  released: () => Promise<void>,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks);
  const sent = new SentAnswer();
  const { method = '', url = '', rawHeaders } = request;
  const recorded: RecordedCall = { method, url, rawHeaders, body, answer: sent, aborted: false };
  requests.push(recorded);
  response.on('error', () => {});
  response.on('close', () => (recorded.aborted = !response.writableFinished));

  const call = readCall(request, body, said);
  if (call.scenario.has('hang')) return;
  if (call.scenario.has('held')) await released();
  if (method === 'HEAD')
    return void response.writeHead(200, { 'content-type': 'application/json', 'content-length': '42' }).end();
  await deliver(call.scenario.has('204') ? NO_CONTENT : answerOf(call), call.scenario, response, sent);
}

function readCall(request: IncomingMessage, body: Buffer, said: Map<string, number>): FakeCall {
  const parsed = parseObject(body);
  const header = request.headers['x-fake'];
  const last = lastSaid(parsed);
  const named = readScenario(Array.isArray(header) ? header[0] : header, parsed['model'], last, systemMessage(parsed));
  const same = `${String(parsed['model'])} ${last}`;
  const count = countCall(named, same, said);
  const isOver = named.has('times') && count > numberOf(named, 'times', 1);
  const scenario = isOver ? new Map<string, string>() : named;
  const path = new URL(request.url ?? '/', 'http://fake').pathname.replace(/\/$/, '');
  const { authorization, 'x-api-key': xApiKey } = request.headers;
  const apiKey = String(xApiKey ?? authorization?.replace(/^Bearer /, '') ?? '');
  return { path, body: parsed, scenario, text: textFor(scenario, parsed, `${same} ${count}`), apiKey };
}

/** What a system message says that a conversation begins with. */
function systemMessage({ messages }: Record<string, unknown>): unknown {
  const [first] = Array.isArray(messages) ? (messages as { role?: unknown; content?: unknown }[]) : [];
  return first?.role === 'system' ? first.content : undefined;
}

/** Which call of those that say the same this is, from 1; counted for scenarios alone that ask for it. */
function countCall(scenario: Scenario, same: string, said: Map<string, number>): number {
  if (!scenario.has('times') && !scenario.has('chance')) return 1;
  const count = (said.get(same) ?? 0) + 1;
  said.set(same, count);
  return count;
}

/**
 * Echoes what was said last; `huge:<KiB>` says a lot instead, `judge:<score>` a verdict, `chance:<share>` does so with this
 * chance and else knows nothing: by the call alone, so that the same calls have the same luck in whatever order they come.
 */
function textFor(scenario: Scenario, body: Record<string, unknown>, call: string): string {
  if (scenario.has('judge')) return JSON.stringify({ score: numberOf(scenario, 'judge', 0.5), reason: 'so it seems' });
  if (scenario.has('huge')) return 'tide 🌊 潮 '.repeat(numberOf(scenario, 'huge', 1024) * 73);
  if (scenario.has('chance') && luckOf(call) >= numberOf(scenario, 'chance', 0.5)) return 'I do not know';
  return `You said: ${lastSaid(body)}`;
}

/** From 0 to below 1. */
const luckOf = (call: string): number => createHash('sha256').update(call).digest().readUInt32BE() / 2 ** 32;

const NO_CONTENT: FakeAnswer = { status: 204, contentType: 'application/json', pieces: [], streamed: true };

function answerOf(call: FakeCall): FakeAnswer {
  const { path, scenario } = call;
  const [answerFor, errorFor] = formatOf(path);
  const status = errorStatusOf(scenario) ?? (scenario.has('error-key') ? 401 : undefined);
  if (status !== undefined) return errorFor(status, call);
  if (scenario.has('garbage')) return { ...jsonAnswer(null), pieces: ['<html>\u0000 not json {"choices":['] };
  if (scenario.has('empty')) return { ...jsonAnswer(null), pieces: [] };
  return answerFor(call);
}

type Format = [answer: (call: FakeCall) => FakeAnswer, error: (status: number, call: FakeCall) => FakeAnswer];

function formatOf(path: string): Format {
  if (/\/messages(\/count_tokens)?$/.test(path)) return [anthropicAnswer, anthropicError];
  if (/\/api\/[a-z]+$/.test(path)) return [ollamaAnswer, ollamaError];
  if (path.endsWith('/responses')) return [responsesAnswer, openAiError];
  if (/\/(chat\/completions|completions|embeddings|models)$/.test(path)) return [openAiAnswer, openAiError];
  return [() => jsonAnswer({ object: 'fake', path }), openAiError];
}

function parseObject(body: Buffer): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(body.toString('utf8'));
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
