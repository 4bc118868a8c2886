import { Agent, request } from 'node:http';
import type { OpenApiDocument, OpenApiOperation } from '@spandrel/http';

/** A request whose path is sent as it is, as no client would write it. */
export interface CloudRequest {
  method: string;
  path: string;
  /** Value of the header `Authorization`. */
  authorization?: string | undefined;
  body?: unknown;
}

export interface CloudAnswer {
  status: number;
  mediaType: string;
  authenticate: string | undefined;
  text: string;
}

const agent = new Agent({ keepAlive: true, maxSockets: 8 });

/** Sends a request over HTTP; many share a few connections. */
export function send(url: string, { method, path, authorization, body }: CloudRequest): Promise<CloudAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<CloudAnswer>();
  const { hostname, port } = new URL(url);
  const payload = body === undefined ? undefined : JSON.stringify(body);
  const headers = {
    ...(authorization !== undefined && { authorization }),
    ...(payload !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) }),
  };
  const sent = request({ hostname, port, method, path, headers, agent }, (answer) => {
    let text = '';
    answer.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    answer.on('error', reject).on('end', () =>
      resolve({
        status: answer.statusCode!,
        mediaType: (answer.headers['content-type'] ?? '').split(';')[0]!,
        authenticate: answer.headers['www-authenticate'],
        text,
      }),
    );
  });
  sent.on('error', (error) => reject(new Error(`${method} ${path} (${authorization}): ${error.message}`))).end(payload);
  return promise;
}

/** An operation of the OpenAPI document. */
export interface Route {
  id: string;
  /** In capitals. */
  method: string;
  /** With placeholders: `/api/traces/{id}`. */
  path: string;
  operation: OpenApiOperation;
  /** Whether it takes requests without a credential. */
  open: boolean;
}

/** Every operation of a document. */
export const routesOf = ({ paths }: OpenApiDocument): Route[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      id: operation.operationId,
      method: method.toUpperCase(),
      path,
      operation,
      open: operation.security.length === 0,
    })),
  );

/** A body for methods that have one. */
export const bodyFor = (method: string): unknown => (['POST', 'PUT', 'PATCH'].includes(method) ? {} : undefined);
