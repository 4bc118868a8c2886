import type { Dialect, OtelSpan } from '@spandrel/plugin-api';

/** Beyond this many names, those that are new are looked up each time. */
const NAMES_MAX = 8_192;

const NOBODY: readonly number[] = Object.freeze([]);

/**
 * Who of the dialects claims a name. Names are few and come again and again, so the prefixes are gone through once for
 * each and the answer is remembered.
 */
class NameClaims {
  private readonly exact = new Map<string, number[]>();
  private readonly prefixes: { prefix: string; dialect: number }[] = [];
  private readonly known = new Map<string, readonly number[]>();

  add(names: readonly string[] | undefined, dialect: number): void {
    for (const name of names ?? []) {
      if (name.endsWith('*')) this.prefixes.push({ prefix: name.slice(0, -1), dialect });
      else this.exact.set(name, [...(this.exact.get(name) ?? []), dialect]);
    }
  }

  /** Places of the dialects that claim the name. */
  of(name: string): readonly number[] {
    const known = this.known.get(name);
    if (known !== undefined) return known;
    const claimed = new Set(this.exact.get(name));
    for (const { prefix, dialect } of this.prefixes) if (name.startsWith(prefix)) claimed.add(dialect);
    const places = claimed.size === 0 ? NOBODY : [...claimed];
    if (this.known.size < NAMES_MAX) this.known.set(name, places);
    return places;
  }
}

/** Which dialects are asked about a span: those that claim one of its names. */
export class ClaimTable {
  private readonly attributes = new NameClaims();
  private readonly events = new NameClaims();
  private readonly scopes = new NameClaims();
  private readonly spans = new NameClaims();
  private readonly marks: Uint8Array;

  constructor(dialects: readonly Pick<Dialect, 'claims'>[]) {
    this.marks = new Uint8Array(dialects.length);
    dialects.forEach(({ claims }, place) => {
      this.attributes.add(claims.attributes, place);
      this.events.add(claims.events, place);
      this.scopes.add(claims.scopes, place);
      this.spans.add(claims.spans, place);
    });
  }

  /** @returns 1 at the place of each dialect that is asked; the same array every time. */
  claimants(span: OtelSpan): Uint8Array {
    this.marks.fill(0);
    this.mark(this.spans.of(span.name));
    this.mark(this.scopes.of(span.scope.name));
    for (const name of span.attributes.keys()) this.mark(this.attributes.of(name));
    for (const { name } of span.events) this.mark(this.events.of(name));
    return this.marks;
  }

  private mark(places: readonly number[]): void {
    for (let at = 0; at < places.length; at++) this.marks[places[at]!] = 1;
  }
}
