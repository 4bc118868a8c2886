import { AttributeShape } from './attribute-shape.js';
import type { OtelMap, OtelValue } from './otel-span.js';

/**
 * Attributes as decoders make them: a list of values, and the shape of their names, which many spans share. Looks like a
 * `Map` and costs a quarter of one.
 */
export class AttributeMap implements OtelMap {
  private names = AttributeShape.empty;
  private readonly held: OtelValue[] = [];

  /** @returns false where there is no place for another name: {@link withAttribute} goes on with a `Map`. */
  add(name: string, value: OtelValue): boolean {
    const shape = this.names.with(name);
    if (shape === undefined) return false;
    this.names = shape;
    this.held.push(value);
    return true;
  }

  get shape(): AttributeShape {
    return this.names;
  }

  get size(): number {
    return this.held.length;
  }

  get(name: string): OtelValue | undefined {
    const place = this.names.placeOf(name);
    return place === undefined ? undefined : this.held[place];
  }

  has(name: string): boolean {
    return this.names.placeOf(name) !== undefined;
  }

  forEach(callback: (value: OtelValue, name: string, map: OtelMap) => void): void {
    const { names } = this.names;
    for (let place = 0; place < names.length; place++) callback(this.held[place]!, names[place]!, this);
  }

  keys(): MapIterator<string> {
    return this.names.names.values();
  }

  values(): MapIterator<OtelValue> {
    return this.held.values();
  }

  *entries(): MapIterator<[string, OtelValue]> {
    const { names } = this.names;
    for (let place = 0; place < names.length; place++) yield [names[place]!, this.held[place]!];
  }

  [Symbol.iterator](): MapIterator<[string, OtelValue]> {
    return this.entries();
  }
}

/** Attributes that are being read, one after the other. */
export type GrowingAttributes = AttributeMap | Map<string, OtelValue>;

/** @returns the attributes with one more, which are to be used instead; of a name that comes again the last value counts. */
export function withAttribute<Attributes extends GrowingAttributes>(
  attributes: Attributes,
  name: string,
  value: OtelValue,
): Attributes | Map<string, OtelValue> {
  if (attributes instanceof Map) return attributes.set(name, value);
  return attributes.add(name, value) ? attributes : new Map(attributes).set(name, value);
}
