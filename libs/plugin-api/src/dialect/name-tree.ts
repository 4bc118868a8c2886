import type { OtelMap } from './otel-span.js';
import { plainValue, setMember } from './plain-value.js';

/** Levels that flattened names may have. */
const DEPTH_MAX = 32;

/** A name of an attribute, or what names of several attributes come to. */
type Node = string | Branch;

/** A list, or an object, whose members are put together from attributes. */
class Branch {
  private readonly found = new Map<string, Node>();
  /** The members in their order, once all are there. */
  private members: readonly (readonly [name: string, node: Node])[] = [];
  private isList = false;

  /**
   * @param depth how many parts of the path this branch stands for.
   * @returns false where another attribute stands in the way.
   */
  plant(path: readonly string[], depth: number, name: string): boolean {
    const part = path[depth]!;
    const there = this.found.get(part);
    if (depth === path.length - 1) {
      if (there === undefined) this.found.set(part, name);
      return there === undefined;
    }
    if (typeof there === 'string') return false;
    const branch = there ?? new Branch();
    if (there === undefined) this.found.set(part, branch);
    return branch.plant(path, depth + 1, name);
  }

  /** Members that are numbers make a list in their order, whatever order they came in. */
  finish(): void {
    const members = [...this.found];
    this.isList = members.every(([name]) => isIndex(name));
    this.members = this.isList ? members.toSorted(([a], [b]) => Number(a) - Number(b)) : members;
    for (const [, node] of members) if (node instanceof Branch) node.finish();
  }

  valueIn(attributes: OtelMap): unknown {
    if (this.isList) return this.members.map(([, node]) => valueOf(node, attributes));
    const object: Record<string, unknown> = {};
    for (const [name, node] of this.members) setMember(object, name, valueOf(node, attributes));
    return object;
  }
}

const valueOf = (node: Node, attributes: OtelMap): unknown =>
  node instanceof Branch ? node.valueIn(attributes) : plainValue(attributes.get(node)!);

/** How names with one prefix make a structured value of their attributes: `a.0.b`, `a.1.b` under `a.` a list of objects. */
export class NameTree {
  private readonly root = new Branch();
  /** The names that are part of it, in their order. */
  readonly names: readonly string[];

  constructor(names: readonly string[], prefix: string) {
    const depth = partsOf(prefix).length - 1;
    this.names = names.filter((name) => {
      const parts = partsOf(name);
      return parts.length - depth <= DEPTH_MAX && this.root.plant(parts, depth, name);
    });
    this.root.finish();
  }

  /** The value, all of whose names are there. */
  valueIn(attributes: OtelMap): unknown {
    return this.root.valueIn(attributes);
  }
}

/** The parts of a name between its dots. */
const partsOf = rememberedByName((name): readonly string[] => name.split('.'));

function isIndex(name: string): boolean {
  if (name === '' || name.length > 9) return false;
  for (let at = 0; at < name.length; at++) {
    const digit = name.charCodeAt(at) - 0x30;
    if (digit < 0 || digit > 9) return false;
  }
  return true;
}

/** Beyond this many names, those that are new are worked out each time; so are names longer than any instrumentation's. */
const NAMES_MAX = 8_192;
const NAME_LENGTH_MAX = 128;

/**
 * What is worked out from a name, once for each: names of attributes are few and come again and again.
 * @param workOut pure; its result is given to every caller, who must not change it.
 */
function rememberedByName<Result>(workOut: (name: string) => Result): (name: string) => Result {
  const known = new Map<string, Result>();
  return (name) => {
    const found = known.get(name);
    if (found !== undefined) return found;
    const result = workOut(name);
    if (known.size < NAMES_MAX && name.length <= NAME_LENGTH_MAX) known.set(name, result);
    return result;
  };
}
