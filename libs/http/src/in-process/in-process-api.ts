import { randomBytes } from 'node:crypto';
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
  inner: InnerRequests;
  addresses: ClientAddresses;
  routes: () => readonly RouteFacts[];
}

/** Lets a feature call the API in the name of a request that it handles (docs/adr/0050-mcp-in-process.md). */
export class InProcessApi {
  private known: ReadonlyMap<string, RouteFacts> | undefined;

  constructor(private readonly parts: InProcessParts) {}

  /**
   * @param request in whose name the calls are made; it must have been let in. @param signal ends what is under way.
   */
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
    const { fastify, inner, addresses } = this.parts;
    const pass = inner.announce(outer);
    const remoteAddress = addresses.of(outer.raw);
    try {
      const { statusCode, payload } = await fastify().inject({
        method: route.method.toUpperCase() as 'GET',
        url: addressOf(route.path, call),
        headers: {
          host: 'localhost',
          'x-request-id': outer.id,
          [INNER_HEADER]: pass,
          ...(call.body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(call.body !== undefined && { payload: await inTurns(jsonTextInPieces(call.body)) }),
        ...(remoteAddress !== undefined && { remoteAddress }),
        signal,
      });
      if (statusCode >= 400) {
        const { code, detail, errors } = problemSchema.parse(JSON.parse(payload));
        throw new DomainError(code, detail, errors && { errors });
      }
      return payload === '' ? null : await inTurns(readJsonInPieces(payload, parseWithSources));
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    } finally {
      inner.forget(pass);
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

/** Header by which a request of this process is distinguished from others made at the same moment. */
export const INNER_HEADER = 'x-spandrel-inner';

const admitted = new WeakSet<IncomingMessage>();

/**
 * Whether a request was made in this process in the name of a caller who was let in: it is not counted or checked
 * again.
 */
export const isInnerRequest = (request: IncomingMessage): boolean => admitted.has(request);

/** Knows which requests were made inside this process, and in whose name. */
export class InnerRequests {
  private readonly announced = new Map<string, AdmittedRequest>();

  /** @returns the value of {@link INNER_HEADER} that the request must carry. */
  announce(by: AdmittedRequest): string {
    const pass = randomBytes(16).toString('base64url');
    this.announced.set(pass, by);
    return pass;
  }

  forget(pass: string): void {
    this.announced.delete(pass);
  }

  /**
   * Called with every request first: gives one that was made here its caller, never one that came over a connection.
   * @returns whether it was made here.
   */
  take(request: FastifyRequest & AdmittedRequest): boolean {
    const { raw } = request;
    const pass = raw.headers[INNER_HEADER];
    if (typeof pass !== 'string' || raw.socket instanceof Socket) return false;
    const by = this.announced.get(pass);
    if (!by) return false;
    this.announced.delete(pass);
    admitted.add(raw);
    if (by.anonymous) request.anonymous = true;
    if (by.caller) request.caller = by.caller;
    if (by.scope) request.scope = by.scope;
    return true;
  }
}
