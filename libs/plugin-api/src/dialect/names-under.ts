import { NameTree } from './name-tree.js';
import type { OtelMap } from './otel-span.js';
import { WorkedOut } from './worked-out.js';

/** Beyond this many prefixes of one list of names, those that are new are looked for each time. */
const PREFIXES_MAX = 64;

/** A name of an attribute, and what follows the prefix. */
interface NameUnder {
  readonly name: string;
  readonly member: string;
}

/** The names of attributes that begin with a prefix, in their order. */
class NamesUnder {
  readonly names: readonly NameUnder[];
  private made: NameTree | undefined;

  constructor(
    all: readonly string[],
    private readonly prefix: string,
  ) {
    this.names = all
      .filter((name) => name.startsWith(prefix))
      .map((name) => ({ name, member: name.slice(prefix.length) }));
  }

  /** What value they flatten. */
  get tree(): NameTree {
    this.made ??= new NameTree(
      this.names.map(({ name }) => name),
      this.prefix,
    );
    return this.made;
  }
}

/**
 * The names of attributes that begin with a prefix.
 * @param prefix with the dot at its end.
 */
export const namesUnder = (attributes: OtelMap, prefix: string): NamesUnder => groups.of(attributes).under(prefix);

/** The names of one list by their prefixes, each worked out when it is asked for. */
class NamesByPrefix {
  private readonly known = new Map<string, NamesUnder>();

  constructor(private readonly names: readonly string[]) {}

  under(prefix: string): NamesUnder {
    const known = this.known.get(prefix);
    if (known !== undefined) return known;
    const found = new NamesUnder(this.names, prefix);
    if (this.known.size < PREFIXES_MAX) this.known.set(prefix, found);
    return found;
  }
}

const groups = new WorkedOut((names) => new NamesByPrefix(names));
