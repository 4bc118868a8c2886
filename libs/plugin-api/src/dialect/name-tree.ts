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
    this.isList = members.every(([name]) => /^\d{1,9}$/.test(name));
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
    const depth = prefix.split('.').length - 1;
    this.names = names.filter((name) => {
      const parts = name.split('.');
      return parts.length - depth <= DEPTH_MAX && this.root.plant(parts, depth, name);
    });
    this.root.finish();
  }

  /** The value, all of whose names are there. */
  valueIn(attributes: OtelMap): unknown {
    return this.root.valueIn(attributes);
  }
}
