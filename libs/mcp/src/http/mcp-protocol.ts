import { bearerOf, type ThirdPartyProtocol } from '@spandrel/http';
import { PARSE_ERROR, rpcError, rpcErrorSchema, SERVER_ERROR } from './json-rpc.js';

/** The Model Context Protocol over HTTP: errors are JSON-RPC's, and credentials come in the header alone. */
export const MCP: ThirdPartyProtocol = {
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
