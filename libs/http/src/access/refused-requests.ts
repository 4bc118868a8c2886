import { ERRORS, type ErrorCode } from '@spandrel/contract';
import type { FastifyRequest } from 'fastify';
import type { ClientAddresses } from '@spandrel/kernel';
import type { AdmittedRequest, Caller } from './caller.js';

export interface RefusedRequest {
  code: ErrorCode;
  status: number;
  method: string;
  /** The pattern of the route, such as `/api/traces/:id`; `null` for a path that matches none. */
  route: string | null;
  /** The holder of the credential that it came with, where that was valid. */
  caller: Caller | undefined;
  address: string | null;
  requestId: string;
}

/** Errors that say that a request was refused for who sent it. */
export const REFUSAL_CODES: readonly ErrorCode[] = [
  'unauthenticated',
  'too_many_wrong_credentials',
  'insufficient_scope',
  'host_not_allowed',
];
const REFUSALS: ReadonlySet<ErrorCode> = new Set(REFUSAL_CODES);

/** Hears of requests that are refused for who sends them; of no others, whatever their answer. */
export class RefusedRequests {
  private listener: ((refused: RefusedRequest) => void) | undefined;

  constructor(private readonly addresses: ClientAddresses) {}

  /** Has `listener` called for each. It must be quick, and must not throw. */
  listen(listener: (refused: RefusedRequest) => void): void {
    this.listener = listener;
  }

  note(code: ErrorCode, request: FastifyRequest & AdmittedRequest): void {
    if (!this.listener || !REFUSALS.has(code)) return;
    const { method, id: requestId, caller } = request;
    const address = this.addresses.of(request.raw) ?? null;
    const route = request.routeOptions?.url ?? null;
    this.listener({ code, status: ERRORS[code].status, method, route, caller, address, requestId });
  }
}
