/**
 * Where the values of a JSON text stand in it, in flat arrays by node: in the order of the text, so that a container comes
 * before what is in it. Values stay text until they are shown, so that no digit can be lost, and the arrays go from a
 * worker to a page without being copied.
 */
export interface JsonIndex {
  readonly count: number;
  /** One of {@link JSON_KIND}. */
  readonly kind: Uint8Array;
  /** Offsets of the value in the text. */
  readonly from: Int32Array;
  readonly to: Int32Array;
  /** Offset of the member's name with its quotes, -1 where there is none; it ends at `keyTo`. */
  readonly keyFrom: Int32Array;
  readonly keyTo: Int32Array;
  /** The container, -1 for the first node. */
  readonly parent: Int32Array;
  readonly depth: Int32Array;
  /** The node behind the last one within. */
  readonly end: Int32Array;
  /** Members of an object, items of an array. */
  readonly size: Int32Array;
}

export const JSON_KIND = { object: 0, array: 1, string: 2, number: 3, word: 4 } as const;

const NONE = -1;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const SPACE = 0x20;

/**
 * Finds the values of a JSON text, in time proportional to its length and without recursion. It looks at brackets, commas
 * and quotes alone: texts come from the service, which has checked them.
 * @returns `null` for what is no JSON as far as that shows.
 */
export function indexJson(text: string): JsonIndex | null {
  const reader = new JsonReader(text);
  return reader.read() ? reader.index() : null;
}

class JsonReader {
  private readonly nodes = new Nodes();
  private at = 0;
  private open = NONE;

  constructor(private readonly text: string) {}

  index(): JsonIndex {
    return this.nodes.index();
  }

  read(): boolean {
    this.skipBlanks();
    while (this.at < this.text.length) {
      const key = this.readKey();
      if (key === null || !this.readValue(key)) return false;
      if (this.open === NONE) return this.at === this.text.length;
    }
    return false;
  }

  /** The name of the member that begins here, where the open container is an object. */
  private readKey(): [number, number] | null {
    if (this.open === NONE || this.nodes.kindOf(this.open) !== JSON_KIND.object) return [NONE, NONE];
    const from = this.at;
    if (this.code() !== QUOTE || !this.passString()) return null;
    const to = this.at;
    this.skipBlanks();
    if (this.code() !== COLON) return null;
    this.at++;
    this.skipBlanks();
    return [from, to];
  }

  /** Passes a value, or the opening of one that has something in it. */
  private readValue(key: [number, number]): boolean {
    const code = this.code();
    const kind = kindOf(code);
    if (kind === undefined) return false;
    const node = this.nodes.add(kind, this.at, key, this.open);
    if (kind === JSON_KIND.object || kind === JSON_KIND.array) {
      this.open = node;
      this.at++;
      this.skipBlanks();
      if (this.code() !== closingOf(kind)) return true;
    } else if (kind === JSON_KIND.string) {
      if (!this.passString()) return false;
      this.nodes.close(node, this.at);
    } else {
      this.passWord();
      this.nodes.close(node, this.at);
    }
    return this.passEnds();
  }

  /** Passes the ends of containers, up to where the next value or member begins. */
  private passEnds(): boolean {
    for (;;) {
      this.skipBlanks();
      if (this.open === NONE) return true;
      const code = this.code();
      if (code === COMMA) {
        this.at++;
        this.skipBlanks();
        return true;
      }
      if (code !== closingOf(this.nodes.kindOf(this.open))) return false;
      this.at++;
      this.nodes.close(this.open, this.at);
      this.open = this.nodes.parentOf(this.open);
    }
  }

  private passString(): boolean {
    let end = this.text.indexOf('"', this.at + 1);
    while (end !== -1 && this.isEscaped(end)) end = this.text.indexOf('"', end + 1);
    this.at = end + 1;
    return end !== -1;
  }

  private isEscaped(quote: number): boolean {
    let before = quote - 1;
    while (this.text.charCodeAt(before) === BACKSLASH) before--;
    return (quote - before) % 2 === 0;
  }

  private passWord(): void {
    for (;;) {
      this.at++;
      const code = this.code();
      if (!(code > SPACE) || code === COMMA || code === CLOSE_OBJECT || code === CLOSE_ARRAY) return;
    }
  }

  private skipBlanks(): void {
    while (this.code() <= SPACE) this.at++;
  }

  /** `NaN` behind the end, which is neither less nor greater than anything. */
  private code(): number {
    return this.text.charCodeAt(this.at);
  }
}

const closingOf = (kind: number): number => (kind === JSON_KIND.object ? CLOSE_OBJECT : CLOSE_ARRAY);

function kindOf(code: number): number | undefined {
  if (code === OPEN_OBJECT) return JSON_KIND.object;
  if (code === OPEN_ARRAY) return JSON_KIND.array;
  if (code === QUOTE) return JSON_KIND.string;
  const character = String.fromCharCode(code);
  if (/[-\d]/.test(character)) return JSON_KIND.number;
  return /[tfn]/.test(character) ? JSON_KIND.word : undefined;
}

const MEMBERS = ['from', 'to', 'keyFrom', 'keyTo', 'parent', 'depth', 'end', 'size'] as const;
const ROOM_FIRST = 1_024;

/** Arrays that grow with the number of nodes. */
class Nodes {
  private count = 0;
  private kind = new Uint8Array(ROOM_FIRST);
  private columns = newColumns(ROOM_FIRST);

  add(kind: number, from: number, [keyFrom, keyTo]: [number, number], parent: number): number {
    if (this.count === this.kind.length) this.grow();
    const node = this.count++;
    const { columns } = this;
    this.kind[node] = kind;
    columns.from[node] = from;
    columns.keyFrom[node] = keyFrom;
    columns.keyTo[node] = keyTo;
    columns.parent[node] = parent;
    columns.depth[node] = parent === NONE ? 0 : columns.depth[parent]! + 1;
    if (parent !== NONE) columns.size[parent]!++;
    return node;
  }

  close(node: number, to: number): void {
    this.columns.to[node] = to;
    this.columns.end[node] = this.count;
  }

  kindOf(node: number): number {
    return this.kind[node]!;
  }

  parentOf(node: number): number {
    return this.columns.parent[node]!;
  }

  index(): JsonIndex {
    const index = { count: this.count, kind: this.kind.slice(0, this.count), ...newColumns(0) };
    for (const member of MEMBERS) index[member] = this.columns[member].slice(0, this.count);
    return index;
  }

  private grow(): void {
    const room = this.kind.length * 2;
    const grown = newColumns(room);
    for (const member of MEMBERS) grown[member].set(this.columns[member]);
    const kind = new Uint8Array(room);
    kind.set(this.kind);
    this.kind = kind;
    this.columns = grown;
  }
}

const newColumns = (room: number) => ({
  from: new Int32Array(room),
  to: new Int32Array(room),
  keyFrom: new Int32Array(room),
  keyTo: new Int32Array(room),
  parent: new Int32Array(room),
  depth: new Int32Array(room),
  end: new Int32Array(room),
  size: new Int32Array(room),
});

/** The arrays of an index, to be handed to another thread without a copy. */
export const buffersOf = (index: JsonIndex): ArrayBufferLike[] => [
  index.kind.buffer,
  ...MEMBERS.map((member) => index[member].buffer),
];

/** The node of a member of an object, by its name; -1 where it has none. The last one of a name counts, as in JavaScript. */
export function memberOf(text: string, index: JsonIndex, node: number, name: string): number {
  let found = NONE;
  if (index.kind[node] !== JSON_KIND.object) return found;
  for (let member = node + 1; member < index.end[node]!; member = index.end[member]!) {
    if (keyOf(text, index, member) === name) found = member;
  }
  return found;
}

/** The name of a member; `null` for what is none. */
export function keyOf(text: string, index: JsonIndex, node: number): string | null {
  const from = index.keyFrom[node]!;
  return from === NONE ? null : (JSON.parse(text.slice(from, index.keyTo[node])) as string);
}
