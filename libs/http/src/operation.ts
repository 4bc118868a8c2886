import type { IncomingHttpHeaders } from 'node:http';
import { SetMetadata } from '@nestjs/common';
import type { AuditAction, ErrorCode } from '@spandrel/contract';
import type { z } from 'zod';
import type { DomainError } from '@spandrel/kernel';
import type { AccessRule } from './access/access-rule.js';

/** How a credential may come, as the OpenAPI document names it. */
type CredentialWay = 'bearer' | 'basic' | 'key' | 'api_key_header';

/**
 * A protocol of others that some routes speak, named in their `@Operation`. Its clients send credentials where they
 * always do, add parameters to the path, end it with a slash, and read errors in their own form.
 */
export interface ThirdPartyProtocol {
  /** Finds the credential where clients of the protocol send it. @returns `undefined` when there is none. */
  credentialOf(headers: IncomingHttpHeaders): string | undefined;
  readonly credentialWays: readonly CredentialWay[];
  /** Writes an error as clients of the protocol read it. @param contentType of the request, as it came. */
  writeError(error: DomainError, contentType: string | undefined): { mediaType: string; body: Buffer };
  readonly errorAnswer: MediaDescription;
}

export interface MediaDescription {
  /** Media types, such as `text/csv`. */
  mediaTypes: readonly string[];
  description: string;
  /** What the content, or each piece of it, is; bytes when left out. */
  schema?: z.ZodType;
  /** Whether an answer comes as a file, with `Content-Disposition`. */
  attachment?: boolean;
}

/** What the OpenAPI description says of a route beyond what its parameters' schemas say. */
export interface OperationDescription {
  /** `operationId`: unique, lowerCamelCase; what generated clients call the method. */
  id: string;
  summary: string;
  description?: string;
  /** The JSON answer on success, or what comes instead. */
  answer: z.ZodType | MediaDescription;
  /** What comes instead with another status, where the client asks for it by `Accept`. */
  otherAnswer?: { status: number; answer: MediaDescription };
  /** Errors of this route; those that its kind of route always has (validation, body, server errors) are added. */
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

/** Describes a route for the OpenAPI document (docs/spec/health.md#the-openapi-description). Every route has one. */
export const Operation = (description: OperationDescription): MethodDecorator => SetMetadata(OPERATION, description);
