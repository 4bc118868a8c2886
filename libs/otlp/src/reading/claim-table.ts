import { WorkedOut, type Dialect, type OtelSpan } from '@spandrel/plugin-api';

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
  private readonly events = new NameClaims();
  private readonly scopes = new NameClaims();
  private readonly spans = new NameClaims();
  private readonly ofAttributes: WorkedOut<readonly number[]>;

  constructor(dialects: readonly Pick<Dialect, 'claims'>[]) {
    const attributes = new NameClaims();
    dialects.forEach(({ claims }, place) => {
      attributes.add(claims.attributes, place);
      this.events.add(claims.events, place);
      this.scopes.add(claims.scopes, place);
      this.spans.add(claims.spans, place);
    });
    this.ofAttributes = new WorkedOut((names) => inOrder(names.flatMap((name) => attributes.of(name))));
  }

  /** @returns the places of the dialects that are asked, in their order. */
  claimants(span: OtelSpan): readonly number[] {
    const byAttributes = this.ofAttributes.of(span.attributes);
    const bySpan = this.spans.of(span.name);
    const byScope = this.scopes.of(span.scope.name);
    let places = withAll(withAll(byAttributes, bySpan), byScope);
    for (const { name } of span.events) places = withAll(places, this.events.of(name));
    return places;
  }
}

/** Mostly the places are there already. */
function withAll(places: readonly number[], more: readonly number[]): readonly number[] {
  for (const place of more) if (!places.includes(place)) return inOrder([...places, ...more]);
  return places;
}

const inOrder = (places: readonly number[]): readonly number[] => [...new Set(places)].sort((a, b) => a - b);
