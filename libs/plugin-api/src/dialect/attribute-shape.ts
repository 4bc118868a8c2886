/**
 * Beyond this many shapes and names of shapes together all start over, so that anyone who sends ever new names does not fill
 * the memory for good. Lists of more names than an SDK keeps have no shape, nor have names that no instrumentation writes.
 */
const ENTRIES_MAX = 65_536;
const NAMES_MAX = 128;
const NAME_LENGTH_MAX = 128;

/**
 * The names of attributes in the order in which they came. Instrumentations send few such lists again and again, so a list
 * has one shape, found by comparing each name with the one that followed the last time; what the names alone decide is
 * worked out once for each shape ({@link WorkedOut}).
 */
export class AttributeShape {
  private static root = new AttributeShape(undefined, '', 0);
  private static entries = 0;

  /** The shape of no name, where every list begins. */
  static get empty(): AttributeShape {
    return AttributeShape.root;
  }

  /** What was worked out for this shape, at the places that {@link WorkedOut} gives. */
  readonly worked: unknown[] = [];
  private list: readonly string[] | undefined;
  private places: Map<string, number> | undefined;
  private following: Map<string, AttributeShape> | undefined;
  private lastName = '';
  private last: AttributeShape | undefined;

  private constructor(
    private readonly before: AttributeShape | undefined,
    private readonly name: string,
    readonly size: number,
  ) {}

  /** @returns the shape with one more name; `undefined` when it has that already, or as many as a shape may have. */
  with(name: string): AttributeShape | undefined {
    if (this.last !== undefined && this.lastName === name) return this.last;
    const known = this.following?.get(name) ?? this.made(name);
    if (known !== undefined) {
      this.lastName = name;
      this.last = known;
    }
    return known;
  }

  /** All names, in their order. */
  get names(): readonly string[] {
    if (this.list === undefined) {
      this.list = [...AttributeShape.backFrom(this)].map(({ name }) => name).toReversed();
      AttributeShape.entries += this.size;
    }
    return this.list;
  }

  /** Where a name stands; `undefined` for one that is not there. */
  placeOf(name: string): number | undefined {
    this.places ??= new Map(this.names.map((each, place) => [each, place]));
    return this.places.get(name);
  }

  private made(name: string): AttributeShape | undefined {
    if (this.size >= NAMES_MAX || name.length > NAME_LENGTH_MAX) return undefined;
    for (const shape of AttributeShape.backFrom(this)) if (shape.name === name) return undefined;
    if (++AttributeShape.entries > ENTRIES_MAX) {
      AttributeShape.root = new AttributeShape(undefined, '', 0);
      AttributeShape.entries = 0;
    }
    const shape = new AttributeShape(this, name, this.size + 1);
    (this.following ??= new Map()).set(name, shape);
    return shape;
  }

  /** A shape and those before it, but for the empty one. */
  private static *backFrom(last: AttributeShape): Generator<AttributeShape, void, undefined> {
    for (let shape = last; shape.before !== undefined; shape = shape.before) yield shape;
  }
}
