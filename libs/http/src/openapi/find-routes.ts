import { RequestMethod, type Type } from '@nestjs/common';
import { HTTP_CODE_METADATA, METHOD_METADATA, PATH_METADATA, ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { DiscoveryService, MetadataScanner, type ModulesContainer } from '@nestjs/core';
import type { ErrorCode } from '@spandrel/contract';
import type { z } from 'zod';
import { PathId } from '../pipes.js';
import { isCounted, OPERATION, type OperationDescription } from '../operation.js';

export interface RouteFacts {
  method: string;
  /** The path in the form of OpenAPI: `/api/traces/{id}`. */
  path: string;
  status: number;
  operation: OperationDescription;
  query: z.ZodType | undefined;
  headers: string[];
  body: z.ZodType | undefined;
  /** Errors of ids in the path that name nothing. */
  notFound: ErrorCode[];
  module: unknown;
  callback: object;
}

/** `GET /api/traces/:id`, as Fastify names a route. */
export const routeKey = ({ method, path }: RouteFacts): string =>
  `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`;

export const namesIgnored = ({ method, operation }: RouteFacts): boolean =>
  !['get', 'delete'].includes(method) && operation.body === undefined;

/** Every route of the app. @throws Error naming a route that has no `@Operation`. */
export function findRoutes(modules: ModulesContainer): RouteFacts[] {
  const routes: RouteFacts[] = [];
  const scanner = new MetadataScanner();
  for (const wrapper of new DiscoveryService(modules).getControllers()) {
    const { metatype, host } = wrapper;
    const prototype = (metatype as Type).prototype as Record<string, object>;
    for (const name of scanner.getAllMethodNames(prototype)) {
      if (!Reflect.hasMetadata(METHOD_METADATA, prototype[name]!)) continue;
      routes.push({ ...factsOf(metatype as Type, name, prototype[name]!), module: host?.metatype });
    }
  }
  return routes;
}

function factsOf(controller: Type, name: string, callback: object): Omit<RouteFacts, 'module'> {
  const read = <T>(key: string): T | undefined => Reflect.getMetadata(key, callback) as T | undefined;
  const operation = read<OperationDescription>(OPERATION);
  if (!operation) throw new Error(`${controller.name}.${name} has no @Operation`);
  if (operation.limit !== undefined && !isCounted(operation)) {
    throw new Error(`${controller.name}.${name} has a limit, but its requests are not counted`);
  }
  const method = RequestMethod[read<RequestMethod>(METHOD_METADATA)!].toLowerCase();
  const base = Reflect.getMetadata(PATH_METADATA, controller) as string;
  return {
    method,
    path: openApiPath(base, read<string>(PATH_METADATA) ?? ''),
    status: read<number>(HTTP_CODE_METADATA) ?? (method === 'post' ? 201 : 200),
    operation,
    callback,
    query: argumentsOf(controller, name, RouteParamtypes.QUERY)[0]?.schema,
    headers: argumentsOf(controller, name, RouteParamtypes.HEADERS).flatMap(({ data }) => data ?? []),
    body: argumentsOf(controller, name, RouteParamtypes.BODY)[0]?.schema,
    notFound: argumentsOf(controller, name, RouteParamtypes.PARAM).flatMap(({ pipes }) =>
      pipes.flatMap((pipe) => (pipe instanceof PathId ? pipe.notFound().code : [])),
    ),
  };
}

interface RouteArgument {
  data?: string;
  schema?: z.ZodType;
  pipes: unknown[];
}

function argumentsOf(controller: Type, name: string, kind: RouteParamtypes): RouteArgument[] {
  const all = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, name) ?? {}) as Record<string, RouteArgument>;
  return Object.entries(all).flatMap(([key, argument]) => (key.startsWith(`${kind}:`) ? argument : []));
}

const openApiPath = (...parts: string[]): string =>
  `/${parts
    .flatMap((part) => part.split('/'))
    .filter((part) => part !== '')
    .join('/')}`.replace(/:(\w+)/g, '{$1}');
