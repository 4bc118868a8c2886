export interface Place {
  start: number;
  end: number;
}

/** Looks for many words in one pass over a text, however they begin and overlap: the automaton of Aho and Corasick (1975). */
export class WordSearch {
  /** The first child of a node and the character that leads to it; node 0 is the root, and no child is the root. */
  private readonly firstChild: Int32Array;
  private readonly firstCode: Uint16Array;
  /** Further children, by node and character. */
  private readonly otherChildren = new Map<number, number>();
  private readonly hasOthers: Uint8Array;
  /** The node of the longest proper suffix of a node's text. */
  private readonly suffix: Int32Array;
  /** The length of the word that ends at a node, 0 for none, and the next node of its suffixes where one ends. */
  private readonly wordLength: Int32Array;
  private readonly nextWord: Int32Array;
  /** Which characters below 256 begin a word. */
  private readonly begins = new Uint8Array(256);

  constructor(words: readonly string[]) {
    const nodesMax = words.reduce((sum, { length }) => sum + length, 1);
    this.firstChild = new Int32Array(nodesMax);
    this.firstCode = new Uint16Array(nodesMax);
    this.hasOthers = new Uint8Array(nodesMax);
    this.suffix = new Int32Array(nodesMax);
    this.wordLength = new Int32Array(nodesMax);
    this.nextWord = new Int32Array(nodesMax);
    this.link(this.grow(words));
  }

  /** Where words stand in a text, in order; those that overlap are one place. @param counts whether a word does there. */
  places(text: string, counts: (start: number, end: number) => boolean = () => true): Place[] {
    const places: Place[] = [];
    const { begins, suffix, wordLength, nextWord } = this;
    let node = 0;
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (node === 0 && code < 256 && begins[code] === 0) continue;
      let next = this.child(node, code);
      while (next === 0 && node !== 0) {
        node = suffix[node]!;
        next = this.child(node, code);
      }
      node = next;
      for (let end = wordLength[node] === 0 ? nextWord[node]! : node; end !== 0; end = nextWord[end]!) {
        const start = at + 1 - wordLength[end]!;
        if (!counts(start, at + 1)) continue;
        // Shorter words that end here lie within this one.
        addPlace(places, start, at + 1);
        break;
      }
    }
    return places;
  }

  /** Makes the nodes of all words. @returns parent, character and depth of each node, in the order they were made. */
  private grow(words: readonly string[]): { parent: number; code: number; depth: number }[] {
    const made = [{ parent: 0, code: 0, depth: 0 }];
    for (const word of words) {
      let node = 0;
      for (let at = 0; at < word.length; at++) {
        const code = word.charCodeAt(at);
        let next = this.child(node, code);
        if (next === 0) {
          next = made.length;
          made.push({ parent: node, code, depth: at + 1 });
          this.addChild(node, code, next);
        }
        node = next;
      }
      this.wordLength[node] = word.length;
      if (word.charCodeAt(0) < 256) this.begins[word.charCodeAt(0)] = 1;
    }
    return made;
  }

  private addChild(node: number, code: number, child: number): void {
    if (this.firstChild[node] === 0) {
      this.firstChild[node] = child;
      this.firstCode[node] = code;
    } else {
      this.otherChildren.set(node * CODES + code, child);
      this.hasOthers[node] = 1;
    }
  }

  private child(node: number, code: number): number {
    if (this.firstCode[node] === code) return this.firstChild[node]!;
    return this.hasOthers[node] === 0 ? 0 : (this.otherChildren.get(node * CODES + code) ?? 0);
  }

  private link(made: readonly { parent: number; code: number; depth: number }[]): void {
    const { suffix, wordLength, nextWord } = this;
    for (const node of byDepth(made)) {
      const { parent, code, depth } = made[node]!;
      if (depth < 2) continue;
      let from = suffix[parent]!;
      let to = this.child(from, code);
      while (to === 0 && from !== 0) {
        from = suffix[from]!;
        to = this.child(from, code);
      }
      suffix[node] = to;
      nextWord[node] = wordLength[to] === 0 ? nextWord[to]! : to;
    }
  }
}

const CODES = 65_536;

/** Adds a place to those before it; those that it overlaps become one with it. */
export function addPlace(places: Place[], start: number, end: number): void {
  let first = start;
  while (places.length > 0 && places.at(-1)!.end > start) first = Math.min(first, places.pop()!.start);
  places.push({ start: first, end });
}

function byDepth(made: readonly { depth: number }[]): number[] {
  const levels: number[][] = [];
  made.forEach(({ depth }, node) => (levels[depth] ??= []).push(node));
  return levels.flat();
}
