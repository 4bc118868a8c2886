import { StartError } from '@spandrel/kernel';
import type { Base } from './base-url.js';

/** Tells whether `X-Forward-URL` may lead to a base. */
export type ForwardAllow = (base: Base) => boolean;

const ENTRY = /^(?:\*\.)?[a-z0-9_-]+(?:\.[a-z0-9_-]+)*(?::\d{1,5})?$/;

/**
 * The rule of `gateway.forward_allow` (contract.md "Recording proxy", cloud mode).
 * @param entries `host` (any port), `host:port`, or `*.domain` (any name below the domain, with `:port` if wanted).
 * @throws StartError naming every entry that is none of these.
 */
export function forwardAllow(entries: readonly string[]): ForwardAllow {
  const lower = entries.map((entry) => entry.trim().toLowerCase());
  const bad = lower.filter((entry) => !ENTRY.test(entry));
  if (bad.length > 0) {
    throw new StartError(bad.map((entry) => `gateway.forward_allow: "${entry}" is not host, host:port or *.domain`));
  }
  const exact = new Set(lower.filter((entry) => !entry.startsWith('*.')));
  const below = lower.filter((entry) => entry.startsWith('*.')).map((entry) => entry.slice(1));
  return ({ hostname, origin }) => {
    const withPort = `${hostname}:${origin.port}`;
    return (
      exact.has(hostname) ||
      exact.has(withPort) ||
      below.some((suffix) => (suffix.includes(':') ? withPort : hostname).endsWith(suffix))
    );
  };
}
