import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';
import { DomainError, WrongCredential, type ClientAddresses } from '@spandrel/kernel';

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

  /** Counts a wrong credential. @returns what to answer: the error, or that there were too many from this address. */
  of(error: DomainError, request: Pick<IncomingMessage, 'socket' | 'headers'>): DomainError {
    if (!(error instanceof WrongCredential)) return error;
    return this.wrong.note(this.addresses.of(request)) ?? error;
  }
}
