import { z } from 'zod';

/** Codes of errors of JSON-RPC 2.0 that are made here. */
export const PARSE_ERROR = -32_700;
export const INVALID_REQUEST = -32_600;
export const METHOD_NOT_FOUND = -32_601;
/** An error of this server before any method is called: of the credential, of the rate limit. */
export const SERVER_ERROR = -32_000;

/** Characters of the longest id that is repeated in an answer to what is refused. */
const ID_LENGTH_MAX = 1_000;

/** The id of a request, where it is known. */
export const idOf = (message: unknown): string | number | null => {
  const id = (message as { id?: unknown } | null)?.id;
  return (typeof id === 'string' && id.length <= ID_LENGTH_MAX) || typeof id === 'number' ? id : null;
};

/** An error of JSON-RPC 2.0 as JSON. */
export const rpcError = (id: string | number | null, code: number, message: string, data?: object): string =>
  JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, ...(data && { data }) } });

const idSchema = z
  .union([z.string(), z.number()])
  .meta({ openapi: { oneOf: [{ type: 'string' }, { type: 'number' }] } });

export const rpcMessageSchema = z
  .looseObject({
    jsonrpc: z.literal('2.0'),
    id: idSchema.optional().describe('Left out of a notification, which is answered 202 without a body.'),
    method: z.string().describe('`tools/list`, `tools/call`, and others of the protocol.'),
    params: z.looseObject({}).optional(),
  })
  .meta({ id: 'McpMessage', description: 'JSON-RPC 2.0, one message a request.' });

export const rpcAnswerSchema = z
  .looseObject({ jsonrpc: z.literal('2.0'), id: idSchema, result: z.looseObject({}).optional() })
  .meta({ id: 'McpAnswer', description: 'JSON-RPC 2.0.' });

/** What is answered to a request that is refused as a whole. */
export const rpcErrorSchema = z
  .looseObject({
    jsonrpc: z.literal('2.0'),
    error: z.looseObject({ code: z.number().int(), message: z.string() }),
  })
  .meta({
    id: 'McpError',
    description: 'JSON-RPC 2.0; `error.data.code` is a code of the error catalogue, where the API refuses.',
  });
