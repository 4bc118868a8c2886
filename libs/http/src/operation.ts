import type { IncomingHttpHeaders } from 'node:http';
import { SetMetadata, type StreamableFile } from '@nestjs/common';
import {
  type AuditAction,
  type ErrorCode,
  type Permission,
  type Role,
  holds,
  ROLES,
  SCOPES_OF_ROLES,
} from '@spandrel/contract';
import type { z } from 'zod';
import type { DomainError } from '@spandrel/kernel';
import type { WrittenJson } from './text-answers.js';

type CredentialWay = 'bearer' | 'basic' | 'key' | 'api_key_header';

/** A protocol of others that some routes speak: its own credentials, more parameters, a slash at the end, own errors. */
export interface ThirdPartyProtocol {
  /** Finds the credential where clients of the protocol send it. @returns `undefined` when there is none. */
  credentialOf(headers: IncomingHttpHeaders): string | undefined;
  readonly credentialWays: readonly CredentialWay[];
  /** Writes an error as clients of the protocol read it. @param contentType of the request, as it came. */
  writeError(error: DomainError, contentType: string | undefined): { mediaType: string; body: Buffer };
  readonly errorAnswer: MediaDescription;
}

export interface MediaDescription {
  mediaTypes: readonly string[];
  description: string;
  /** What the content, or each piece of it, is; bytes when left out. */
  schema?: z.ZodType;
  /** Whether an answer comes as a file, with `Content-Disposition`. */
  attachment?: boolean;
}

/** What the OpenAPI description says of a route beyond what its parameters' schemas say. */
export interface OperationDescription<Answer extends z.ZodType | MediaDescription = z.ZodType | MediaDescription> {
  /** `operationId`: unique, lowerCamelCase; what generated clients call the method. */
  id: string;
  summary: string;
  description?: string;
  /** The JSON answer on success, or what comes instead. */
  answer: Answer;
  /** What comes instead with another status, where the client asks for it by `Accept`. */
  otherAnswer?: { status: number; answer: MediaDescription };
  /** Errors of this route; those that such a route always has (validation, body, an id that names nothing) are added. */
  problems?: readonly ErrorCode[];
  /** The body of a route that reads it as a stream; JSON bodies are described by their schema. */
  body?: MediaDescription;
  access: AccessRule;
  /** Whether requests do not count against the rate limit of the caller's organization; they do when left out. */
  uncounted?: true;
  /** Requests a second that an organization may make of this route (docs/spec/limits.md#requests-of-a-route). */
  limit?: number;
  /** Whether the credential may also come as `?token=`: browsers cannot send headers with an `EventSource`. */
  tokenInQuery?: boolean;
  /** Actions of the entries of the audit log that it leaves; `RequestContext` is kept for these routes alone. */
  audited?: readonly AuditAction[];
  /** Whether it takes query parameters that it does not know, as others write its address; refused when left out. */
  anyQuery?: true;
  /** The protocol of others that the route speaks; left out for the API's own. */
  protocol?: ThirdPartyProtocol;
}

export const OPERATION = 'spandrel:operation';

/** What a handler gives for a JSON answer: what the schema says, or the text, bytes or stream of it. */
type Given<Answer extends z.ZodType> = z.input<Answer> | WrittenJson | Buffer | StreamableFile;

/** Decorates a handler; one that gives something else does not compile. */
type HandlerDecorator<Answer extends z.ZodType> = (
  target: object,
  key: string | symbol,
  handler: { value?: (...given: never[]) => Given<Answer> | Promise<Given<Answer>> },
) => void;

/** The handler's name is the id of the operation where nothing else is given. */
type Described<Answer extends z.ZodType | MediaDescription> = Omit<OperationDescription<Answer>, 'id'> & {
  id?: string;
};

/** Describes a route for the OpenAPI document (docs/spec/health.md#the-openapi-description). Every route has one. */
export function Operation<Answer extends z.ZodType>(description: Described<Answer>): HandlerDecorator<Answer>;
export function Operation(description: Described<MediaDescription>): MethodDecorator;
export function Operation(description: Described<z.ZodType | MediaDescription>): MethodDecorator {
  return (target, key, handler) => SetMetadata(OPERATION, { id: key, ...description })(target, key, handler);
}

/** Marks a route outside Nest that everyone may call, as Fastify's `config`. */
export const OPEN_ROUTE = { openRoute: true } as const;

/** Marks an open route that answers a page: any query may stand behind its address, which the page's own scripts read. */
export const PAGE_ROUTE = { ...OPEN_ROUTE, anyQuery: true, isPage: true } as const;

/** Marks an open route that answers a page and takes no query. */
export const PLAIN_PAGE_ROUTE = { ...OPEN_ROUTE, isPage: true } as const;

export const isOpenRoute = (config: unknown): boolean =>
  (config as Partial<typeof PAGE_ROUTE> | undefined)?.openRoute === true;

export const takesAnyQuery = (config: unknown): boolean =>
  (config as Partial<typeof PAGE_ROUTE> | undefined)?.anyQuery === true;

export const isPageRoute = (config: unknown): boolean =>
  (config as Partial<typeof PAGE_ROUTE> | undefined)?.isPage === true;

const BEARER = /^Bearer +([^\s]+) *$/i;

/** The credential in the header `Authorization`; `undefined` when it is of another scheme, or none. */
export const bearerOf = (authorization: string): string | undefined => BEARER.exec(authorization)?.[1];

/**
 * Who may call a route in cloud mode. `open`: everyone. `anyone`: everyone, but a credential that is shown must be
 * valid. A permission: credentials that have it, for their own project (`admin`: organization; the operator too).
 * `caller`: every valid credential. `operator`: the admin token, and for `/metrics` the metrics token.
 */
export type AccessRule = 'open' | 'anyone' | ScopeRule | 'caller' | 'operator';

type ScopeRule = Permission | 'read or admin';

export const isGranted = (rule: ScopeRule, held: readonly Permission[]): boolean =>
  rule === 'read or admin' ? holds(held, 'read') || holds(held, 'admin') : holds(held, rule);

/** Whether a rule lets the operator in, who belongs to no project. */
export const isOperators = (rule: ScopeRule): boolean => rule === 'admin' || rule === 'read or admin';

interface CountedAccess {
  access: AccessRule;
  /** Requests that a busy organization must not lose. */
  uncounted?: boolean;
}

const UNCOUNTED: ReadonlySet<AccessRule> = new Set(['open', 'anyone', 'operator']);

/** Whether requests count against the rate limit of the caller's organization (docs/spec/limits.md#which-requests-count). */
export const isCounted = ({ access, uncounted = false }: CountedAccess): boolean =>
  !UNCOUNTED.has(access) && !uncounted;

export const permissionsOfRole = (role: Role): readonly Permission[] => SCOPES_OF_ROLES[role];

export function rolesFor(access: AccessRule): readonly Role[] {
  if (access === 'operator') return [];
  if (access === 'open' || access === 'anyone' || access === 'caller') return ROLES;
  return ROLES.filter((role) => isGranted(access, SCOPES_OF_ROLES[role]));
}
