import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import {
  jsonTextInPieces,
  parseWithSources,
  problemSchema,
  readJsonInPieces,
  type JsonValue,
} from '@spandrel/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { DomainError, LOCAL_SCOPE, NotFound, type ClientAddresses, inTurns } from '@spandrel/kernel';
import { accessRefusal, type AdmittedRequest } from '../access/caller.js';
import type { AccessRule } from '../operation.js';
import type { RouteFacts } from '../openapi/find-routes.js';

/** A value of a query parameter; a list stands for a parameter that comes several times. */
export type QueryValue = string | number | boolean | readonly (string | number | boolean)[];

export interface ApiCall {
  operation: string;
  /** Parameters of the path by name; they are percent-encoded here. */
  path?: Readonly<Record<string, string>>;
  /** Parameters of the query by name; those without a value are left out. */
  query?: Readonly<Record<string, QueryValue | undefined>>;
  body?: unknown;
}

/** The API as one caller may use it, inside this process. */
export interface CallerApi {
  readonly projectId: string;
  /** Whether there is such an operation, and the caller has what it asks for. */
  may(operation: string): boolean;
  /**
   * Calls an operation as the caller would over HTTP; it does not count against the limit of the organization again.
   * @returns the JSON of the answer, numbers with all their digits. @throws DomainError the problem that was answered.
   */
  call(call: ApiCall): Promise<JsonValue>;
}

export interface InProcessParts {
  fastify: () => FastifyInstance;
  addresses: ClientAddresses;
  routes: () => readonly RouteFacts[];
}

/** Lets a feature call the API in the name of a request that it handles (docs/adr/0050-mcp-in-process.md). */
export class InProcessApi {
  private known: ReadonlyMap<string, RouteFacts> | undefined;

  constructor(private readonly parts: InProcessParts) {}

  /** @param request in whose name the calls are made. @param signal ends what is under way. */
  of(request: FastifyRequest & AdmittedRequest, signal: AbortSignal): CallerApi {
    return {
      projectId: (request.scope ?? LOCAL_SCOPE).projectId,
      may: (operation) => mayCall(this.routes.get(operation)?.operation.access, request),
      call: (call) => this.call(call, request, signal),
    };
  }

  private get routes(): ReadonlyMap<string, RouteFacts> {
    return (this.known ??= new Map(this.parts.routes().map((route) => [route.operation.id, route])));
  }

  private async call(call: ApiCall, outer: FastifyRequest & AdmittedRequest, signal: AbortSignal): Promise<JsonValue> {
    const route = this.routes.get(call.operation);
    if (!route) throw new DomainError('not_found', `this server does not have the operation ${call.operation}`);
    const { fastify, addresses } = this.parts;
    const remoteAddress = addresses.of(outer.raw);
    try {
      const options = {
        method: route.method.toUpperCase() as 'GET',
        url: addressOf(route.path, call),
        headers: {
          host: 'localhost',
          'x-request-id': outer.id,
          ...(call.body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(call.body !== undefined && { payload: await inTurns(jsonTextInPieces(call.body)) }),
        ...(remoteAddress !== undefined && { remoteAddress }),
        signal,
      };
      const { statusCode, payload } = await outerRequest.run(outer, async () => await fastify().inject(options));
      if (statusCode >= 400) {
        const { code, detail, errors } = problemSchema.parse(JSON.parse(payload));
        throw new DomainError(code, detail, errors && { errors });
      }
      return payload === '' ? null : await inTurns(readJsonInPieces(payload, parseWithSources));
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    }
  }
}

/** Whether a request's caller has what a route asks for; everybody has in local mode. */
function mayCall(access: AccessRule | undefined, { caller, anonymous }: AdmittedRequest): boolean {
  if (access === undefined) return false;
  if (access === 'open' || access === 'anyone') return true;
  if (anonymous) return false;
  return caller === undefined || accessRefusal(access, caller) === undefined;
}

function addressOf(path: string, { path: parameters = {}, query = {} }: ApiCall): string {
  const address = path.replace(/\{(\w+)\}/g, (_all, name: string) => {
    const text = parameters[name] ?? '';
    // Dots alone would make it the path of something else.
    if (/^\.{0,2}$/.test(text)) throw new NotFound('not_found', `there is nothing with the ${name} "${text}"`);
    return encodeURIComponent(text);
  });
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const each of value === undefined ? [] : [value].flat()) search.append(name, String(each));
  }
  return search.size === 0 ? address : `${address}?${search.toString()}`;
}

/** The request in whose name others are made now. A connection's may begin in it, and is never taken for one of them. */
const outerRequest = new AsyncLocalStorage<AdmittedRequest>();

const admitted = new WeakSet<IncomingMessage>();

/** Whether a request was made here in the name of a caller who was let in: it is not counted or checked again. */
export const isInnerRequest = (request: IncomingMessage): boolean => admitted.has(request);

/** Called with every request first: gives one that was made here its caller. @returns whether it was made here. */
export function takeInnerRequest(request: FastifyRequest & AdmittedRequest): boolean {
  const by = request.raw.socket instanceof Socket ? undefined : outerRequest.getStore();
  if (!by) return false;
  admitted.add(request.raw);
  if (by.anonymous) request.anonymous = true;
  if (by.caller) request.caller = by.caller;
  if (by.scope) request.scope = by.scope;
  return true;
}
