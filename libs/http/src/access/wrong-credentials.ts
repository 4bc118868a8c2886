import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';
import { DomainError, WrongCredential, type ClientAddresses } from '@spandrel/kernel';
import { ERRORS, type ErrorCode } from '@spandrel/contract';
import type { FastifyRequest } from 'fastify';
import type { AdmittedRequest, Caller } from './caller.js';

/** How long wrong credentials are counted together, in milliseconds. */
const WINDOW_MS = 60_000;

/** Addresses that are remembered; beyond it those that began longest ago are forgotten. */
const ADDRESSES_MAX = 10_000;

/** A provider gives a household or a server this much of IPv6, so that a guesser has all of it. */
const IPV6_PREFIX = 64;

interface Window {
  count: number;
  endsAt: number;
}

/** Counts wrong credentials by the address they come from (docs/spec/limits.md#wrong-credentials). */
export class WrongCredentials {
  /** By address, the window that began longest ago first. */
  private readonly windows = new Map<string, Window>();

  /** @param max wrong credentials that an address has a minute. */
  constructor(
    private readonly max: number,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Counts one. @returns what to answer instead of 401 once there were too many. */
  note(address: string | undefined): DomainError | undefined {
    if (address === undefined) return undefined;
    const now = this.now();
    const window = this.windowOf(keyOf(address), now);
    window.count++;
    if (window.count <= this.max) return undefined;
    const retryAfterSeconds = Math.max(1, Math.ceil((window.endsAt - now) / 1_000));
    const detail = `more than ${this.max} wrong credentials came from this address within a minute`;
    return new DomainError('too_many_wrong_credentials', detail, { retryAfterSeconds });
  }

  get size(): number {
    return this.windows.size;
  }

  private windowOf(key: string, now: number): Window {
    const known = this.windows.get(key);
    if (known && now < known.endsAt) return known;
    const window = { count: 0, endsAt: now + WINDOW_MS };
    this.windows.delete(key);
    this.windows.set(key, window);
    for (const [oldest, { endsAt }] of this.windows) {
      if (this.windows.size <= ADDRESSES_MAX && now < endsAt) break;
      this.windows.delete(oldest);
    }
    return window;
  }
}

function keyOf(address: string): string {
  const bare = address.split('%', 1)[0]!;
  if (!ipaddr.IPv6.isValid(bare)) return address;
  return ipaddr.IPv6.networkAddressFromCIDR(`${bare}/${IPV6_PREFIX}`).toString();
}

/** How requests are refused whose credential is not valid (docs/spec/limits.md#wrong-credentials). */
export class CredentialRefusals {
  constructor(
    private readonly addresses: ClientAddresses,
    private readonly wrong: WrongCredentials,
  ) {}

  /** Counts a wrong credential, and a valid one at the address of a project that it is not of. @returns what to answer: the error, or that there were too many from this address. */
  of(error: DomainError, request: Pick<IncomingMessage, 'socket' | 'headers'>): DomainError {
    if (!(error instanceof WrongCredential) && error.code !== 'project_not_found') return error;
    return this.wrong.note(this.addresses.of(request)) ?? error;
  }
}

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
