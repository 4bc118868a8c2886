import { StartError } from '../errors.js';

/** Says whether a host is on a list. @param hostname lower case, without brackets or the root's dot. */
export type HostList = (hostname: string, port: number) => boolean;

export const NO_HOST_ENTRY = 'is not host, host:port or *.domain';

const ENTRY = /^(?:\*\.)?[a-z0-9_-]+(?:\.[a-z0-9_-]+)*(?::\d{1,5})?$/;

/** Whether a text is an entry of {@link hostList}. */
export const isHostEntry = (text: string): boolean => ENTRY.test(normal(text));

const normal = (entry: string): string => entry.trim().toLowerCase();

/**
 * Hosts that a setting lists (docs/spec/gateway.md#where-callers-may-lead-a-call).
 * @param entries `host` (any port), `host:port`, or `*.domain` (any name below it, with `:port` if wanted).
 * @throws StartError naming every entry that is none of these.
 */
export function hostList(setting: string, entries: readonly string[]): HostList {
  const lower = entries.map(normal);
  const bad = entries.filter((entry) => !isHostEntry(entry));
  if (bad.length > 0) {
    throw new StartError(bad.map((entry) => `${setting}: "${entry}" ${NO_HOST_ENTRY}`));
  }
  const exact = new Set(lower.filter((entry) => !entry.startsWith('*.')));
  const below = lower.filter((entry) => entry.startsWith('*.')).map((entry) => entry.slice(1));
  return (hostname, port) => {
    const withPort = `${hostname}:${port}`;
    return (
      exact.has(hostname) ||
      exact.has(withPort) ||
      below.some((suffix) => (suffix.includes(':') ? withPort : hostname).endsWith(suffix))
    );
  };
}
