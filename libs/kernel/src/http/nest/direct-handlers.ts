import { StreamableFile, type ArgumentMetadata, type PipeTransform, type Type } from '@nestjs/common';
import {
  CUSTOM_ROUTE_ARGS_METADATA,
  GUARDS_METADATA,
  HEADERS_METADATA,
  INTERCEPTORS_METADATA,
  EXCEPTION_FILTERS_METADATA,
  PIPES_METADATA,
  REDIRECT_METADATA,
  RENDER_METADATA,
  ROUTE_ARGS_METADATA,
  SSE_METADATA,
} from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { routeKey, type RouteFacts } from '../openapi/find-routes.js';
import type { ProblemFilter } from '../problem.filter.js';
import type { SchemaPipe } from '../schema.pipe.js';
import { sendWritten, WrittenJson } from '../written-json.js';

/** What handles every request of the app, as Nest has it. */
interface Globals {
  pipe: SchemaPipe;
  filter: ProblemFilter;
}

/** What Nest notes of an argument of a handler. */
interface ArgumentNote {
  index: number;
  data?: unknown;
  schema?: ArgumentMetadata['schema'];
  pipes?: readonly unknown[];
  factory?: (data: unknown, context: ExecutionContextHost) => unknown;
}

type Read = (request: FastifyRequest, reply: FastifyReply) => unknown;
type Handler = (request: FastifyRequest, reply: FastifyReply) => unknown;

/**
 * Has handlers of controllers called at once by Fastify, where their decorators say nothing that needs Nest's own way
 * to them: that one makes eight promises a request, which cost as much as all else that a small request needs
 * (docs/adr/0041-what-a-request-costs.md). Arguments, pipes, statuses, answers and errors are the same.
 * @param routes every route of the app; called when the first one is registered.
 * @param send sends what is no JSON, as Nest does.
 */
export function handleDirectly(
  fastify: FastifyInstance,
  routes: () => readonly RouteFacts[],
  globals: Globals,
  send: (reply: FastifyReply, body: unknown) => void,
): void {
  let known: ReadonlyMap<string, RouteFacts> | undefined;
  fastify.addHook('onRoute', (route) => {
    known ??= new Map(routes().map((facts) => [routeKey(facts), facts]));
    const method = String(route.method);
    const facts = known.get(`${method === 'HEAD' ? 'GET' : method} ${route.url}`);
    const handler = facts && directHandler(facts, globals, send);
    if (handler) route.handler = handler as typeof route.handler;
  });
}

/** Metadata of a handler or its class that Nest's own way sees to. */
const NEEDS_NEST = [
  GUARDS_METADATA,
  INTERCEPTORS_METADATA,
  PIPES_METADATA,
  EXCEPTION_FILTERS_METADATA,
  HEADERS_METADATA,
  REDIRECT_METADATA,
  RENDER_METADATA,
  SSE_METADATA,
];

/** @returns `undefined` for a route that Nest handles itself. */
export function directHandler(
  { operation, status, controller, handler: name }: RouteFacts,
  { pipe, filter }: Globals,
  send: (reply: FastifyReply, body: unknown) => void,
): Handler | undefined {
  const instance = controller() as Record<string, (...args: unknown[]) => unknown> | undefined;
  const callback = instance?.[name];
  const type = instance?.constructor as Type | undefined;
  if (!instance || !callback || !type || !(operation.answer instanceof z.ZodType)) return undefined;
  if (NEEDS_NEST.some((key) => Reflect.hasMetadata(key, callback) || Reflect.hasMetadata(key, type))) return undefined;
  const made = Arguments.of(type, name, callback, pipe);
  if (!made) return undefined;
  const answer = (reply: FastifyReply, body: unknown): void => {
    if (body instanceof WrittenJson) sendWritten(reply, body);
    else if (body instanceof StreamableFile || body instanceof Error) send(reply, body);
    else void reply.send(body);
  };
  return (request, reply) => {
    if (hasEmptyParameter(request.params as Record<string, string>)) return void reply.callNotFound();
    try {
      // Nest sets the status first: what an argument is made of may ask for it.
      reply.statusCode = status;
      const result = callback.apply(instance, made.make(request, reply));
      if (!isThenable(result)) return answer(reply, result);
      result.then(
        (body) => {
          try {
            answer(reply, body);
          } catch (error) {
            filter.answer(error, request, reply);
          }
        },
        (error: unknown) => filter.answer(error, request, reply),
      );
    } catch (error) {
      filter.answer(error, request, reply);
    }
  };
}

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof (value as { then?: unknown } | null | undefined)?.then === 'function';

/** The router takes `//` for an id of no characters, which no route takes. */
function hasEmptyParameter(params: Readonly<Record<string, string>>): boolean {
  for (const name in params) if (params[name] === '' && name !== '*') return true;
  return false;
}

/** A pipe of an argument. */
interface PipeStep {
  index: number;
  pipe: PipeTransform;
  metadata: ArgumentMetadata;
}

/**
 * Makes the arguments of a handler: all are read before the first pipe of any, and the first pipes run before the second
 * ones, so that of several faults the same one is told as by Nest.
 */
class Arguments {
  private readonly reads: { index: number; read: Read }[] = [];
  /** By their place among the pipes of an argument. */
  private readonly pipes: PipeStep[][] = [];
  private count = 0;

  /** @returns `undefined` when there is an argument of a kind that is left to Nest. */
  static of(type: Type, name: string, callback: unknown, pipe: SchemaPipe): Arguments | undefined {
    const notes = (Reflect.getMetadata(ROUTE_ARGS_METADATA, type, name) ?? {}) as Record<string, ArgumentNote>;
    const made = new Arguments();
    const isTaken = Object.entries(notes).every(([key, note]) =>
      key.includes(CUSTOM_ROUTE_ARGS_METADATA)
        ? made.addMade(note, type, callback)
        : made.add(Number(key.split(':')[0]), note, pipe),
    );
    return isTaken ? made : undefined;
  }

  make(request: FastifyRequest, reply: FastifyReply): unknown[] {
    const args: unknown[] = [];
    for (let at = 0; at < this.count; at++) args.push(undefined);
    for (const { index, read } of this.reads) args[index] = read(request, reply);
    for (const steps of this.pipes) {
      for (const { index, pipe, metadata } of steps) args[index] = pipe.transform(args[index], metadata);
    }
    return args;
  }

  /** An argument of a decorator of ours. */
  private addMade({ index, factory, data, pipes }: ArgumentNote, type: Type, callback: unknown): boolean {
    if (pipes?.length || !factory) return false;
    this.read(index, (request, reply) =>
      factory(data, new ExecutionContextHost([request, reply], type, callback as never)),
    );
    return true;
  }

  private add(kind: RouteParamtypes, { index, data, schema, pipes = [] }: ArgumentNote, pipe: SchemaPipe): boolean {
    const source = SOURCES[kind];
    if (!source || (data !== undefined) !== source.isNamed) return false;
    if (pipes.some((each) => typeof (each as PipeTransform).transform !== 'function')) return false;
    this.read(index, source.read(data as string));
    const metadata: ArgumentMetadata = { type: source.type, data: data as string, ...(schema && { schema }) };
    // Without a schema the pipe of the app hands on what it gets.
    for (const [place, each] of [schema && pipe, ...(pipes as PipeTransform[])].entries()) {
      const steps = (this.pipes[place] ??= []);
      if (each) steps.push({ index, pipe: each, metadata });
    }
    return true;
  }

  private read(index: number, read: Read): void {
    this.count = Math.max(this.count, index + 1);
    this.reads.push({ index, read });
  }
}

/** Where arguments come from that Nest has decorators for, as far as they are used here. */
const SOURCES: Partial<
  Record<RouteParamtypes, { type: ArgumentMetadata['type']; isNamed: boolean; read: (name: string) => Read }>
> = {
  [RouteParamtypes.REQUEST]: { type: 'custom', isNamed: false, read: () => (request) => request },
  [RouteParamtypes.BODY]: { type: 'body', isNamed: false, read: () => (request) => request.body },
  [RouteParamtypes.QUERY]: { type: 'query', isNamed: false, read: () => (request) => request.query },
  [RouteParamtypes.PARAM]: {
    type: 'param',
    isNamed: true,
    read: (name) => (request) => (request.params as Record<string, string>)[name],
  },
};
