import type { OtelMap } from './otel-span.js';
import { WorkedOut } from './worked-out.js';

/** Beyond this many prefixes of one list of names, those that are new are looked for each time. */
const PREFIXES_MAX = 64;

/** A name of an attribute, and what follows the prefix. */
export interface NameUnder {
  readonly name: string;
  readonly member: string;
}

/**
 * The names of attributes that begin with a prefix, in their order.
 * @param prefix with the dot at its end.
 */
export function namesUnder(attributes: OtelMap, prefix: string): readonly NameUnder[] {
  return groups.of(attributes).under(prefix);
}

/** The names of one list by their prefixes, each worked out when it is asked for. */
class NamesByPrefix {
  private readonly known = new Map<string, readonly NameUnder[]>();

  constructor(private readonly names: readonly string[]) {}

  under(prefix: string): readonly NameUnder[] {
    const known = this.known.get(prefix);
    if (known !== undefined) return known;
    const found = this.names
      .filter((name) => name.startsWith(prefix))
      .map((name) => ({ name, member: name.slice(prefix.length) }));
    if (this.known.size < PREFIXES_MAX) this.known.set(prefix, found);
    return found;
  }
}

const groups = new WorkedOut((names) => new NamesByPrefix(names));
