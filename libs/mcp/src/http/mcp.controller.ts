import { Body, Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import { jsonWeight, memberNames, OWN_MEMBERS_MAX } from '@spandrel/contract';
import { ClientGone, InProcessApi, Operation, bearerOf, type ThirdPartyProtocol } from '@spandrel/http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { McpServing, type McpAnswer } from '../serving/mcp-serving.js';
import { z } from 'zod';

/** Codes of errors of JSON-RPC 2.0 that are made here. */
const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;
const METHOD_NOT_FOUND = -32_601;
/** An error of this server before any method is called: of the credential, of the rate limit. */
const SERVER_ERROR = -32_000;

/** Characters of the longest id that is repeated in an answer to what is refused. */
const ID_LENGTH_MAX = 1_000;

const idOf = (message: unknown): string | number | null => {
  const id = (message as { id?: unknown } | null)?.id;
  return (typeof id === 'string' && id.length <= ID_LENGTH_MAX) || typeof id === 'number' ? id : null;
};

const rpcError = (id: string | number | null, code: number, message: string, data?: object): string =>
  JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, ...(data && { data }) } });

const idSchema = z
  .union([z.string(), z.number()])
  .meta({ openapi: { oneOf: [{ type: 'string' }, { type: 'number' }] } });

const rpcMessageSchema = z
  .looseObject({
    jsonrpc: z.literal('2.0'),
    id: idSchema.optional().describe('Left out of a notification, which is answered 202 without a body.'),
    method: z.string().describe('`tools/list`, `tools/call`, and others of the protocol.'),
    params: z.looseObject({}).optional(),
  })
  .meta({ id: 'McpMessage', description: 'JSON-RPC 2.0, one message a request.' });

const rpcAnswerSchema = z
  .looseObject({ jsonrpc: z.literal('2.0'), id: idSchema, result: z.looseObject({}).optional() })
  .meta({ id: 'McpAnswer', description: 'JSON-RPC 2.0.' });

/** What is answered to a request that is refused as a whole. */
const rpcErrorSchema = z
  .looseObject({
    jsonrpc: z.literal('2.0'),
    error: z.looseObject({ code: z.number().int(), message: z.string() }),
  })
  .meta({
    id: 'McpError',
    description: 'JSON-RPC 2.0; `error.data.code` is a code of the error catalogue, where the API refuses.',
  });

/** The Model Context Protocol over HTTP: errors are JSON-RPC's, and credentials come in the header alone. */
const MCP: ThirdPartyProtocol = {
  credentialOf: ({ authorization }) => (authorization === undefined ? undefined : bearerOf(authorization)),
  credentialWays: ['bearer'],
  writeError: ({ code, message }) => ({
    mediaType: 'application/json',
    body: Buffer.from(rpcError(null, code === 'malformed_json' ? PARSE_ERROR : SERVER_ERROR, message, { code })),
  }),
  errorAnswer: {
    mediaTypes: ['application/json'],
    description: 'An error of JSON-RPC 2.0.',
    schema: rpcErrorSchema,
  },
};

const mediaTypes = ['application/json'];

@Controller('mcp')
export class McpController {
  constructor(
    private readonly serving: McpServing,
    private readonly api: InProcessApi,
  ) {}

  @Post()
  @HttpCode(200)
  @Operation({
    access: 'caller',
    summary: 'Tools for agents, by the Model Context Protocol',
    description:
      'Stateless: every message stands by itself, and there are no sessions. A tool does what its caller may do over HTTP, and is shown to those alone who may.',
    protocol: MCP,
    body: { mediaTypes, description: 'One message of JSON-RPC 2.0.', schema: rpcMessageSchema },
    answer: { mediaTypes, description: 'The answer to the request.', schema: rpcAnswerSchema },
    otherAnswer: { status: 202, answer: { mediaTypes: [], description: 'The notification was taken.' } },
    problems: ['not_found'],
  })
  async callMcp(
    @Req() request: FastifyRequest,
    @Body() message: unknown,
    @ClientGone() signal: AbortSignal,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { status, body } =
      refusalOf(message) ??
      (await this.serving.answer({ message, headers: mcpHeaders(request), api: this.api.of(request, signal), signal }));
    void reply.status(status);
    if (body === undefined) void reply.send();
    else void reply.header('content-type', 'application/json').send(body);
  }
}

/** What is refused before the protocol is asked; `undefined` for everything else. */
function refusalOf(message: unknown): McpAnswer | undefined {
  if (typeof message !== 'object' || message === null) {
    return { status: 400, body: rpcError(null, INVALID_REQUEST, 'the body must be a message of JSON-RPC 2.0') };
  }
  // A batch would be many calls that count as one request.
  if (Array.isArray(message)) {
    return { status: 400, body: rpcError(null, INVALID_REQUEST, 'batches are not taken: send one message a request') };
  }
  // A number that is kept as its source text would pass for an empty object.
  if (JSON.isRawJSON((message as { params?: unknown }).params)) {
    return { status: 400, body: rpcError(idOf(message), INVALID_REQUEST, 'params must be an object') };
  }
  if (isTooLarge(message)) {
    return { status: 400, body: rpcError(idOf(message), INVALID_REQUEST, `the message is too large: ${MESSAGE_MAX}`) };
  }
  // A stream that lasts would be a session; the list of tools changes with the credential and the settings alone.
  if ((message as { method?: unknown }).method === 'subscriptions/listen') {
    return { status: 404, body: rpcError(idOf(message), METHOD_NOT_FOUND, 'there is nothing to subscribe to') };
  }
  return undefined;
}

/** Whether there is more in a message than the protocol has use for; arguments of a call are left to the tool. */
function isTooLarge(message: object): boolean {
  const { params } = message as { params?: { arguments?: unknown } | null };
  const given = params?.arguments;
  if ([message, params, given].some(hasManyMembers)) return true;
  const about = given === undefined ? params : { ...params, arguments: null };
  return jsonWeight({ ...message, params: about }, MESSAGE_WEIGHT_MAX) > MESSAGE_WEIGHT_MAX;
}

const hasManyMembers = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (Array.isArray(value) ? value : memberNames(value)).length > OWN_MEMBERS_MAX;

/** 64 KiB of text, or 8,192 values, counted by {@link jsonWeight}. */
const MESSAGE_WEIGHT_MAX = 65_536;
const MESSAGE_MAX = `a call has at most ${OWN_MEMBERS_MAX} arguments, and 64 KiB beside them`;

function mcpHeaders({ headers }: FastifyRequest): Record<string, string> {
  const named = Object.entries(headers).filter(([name]) => name.startsWith('mcp-'));
  return Object.fromEntries(named.flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])));
}
