import { AttributeMap } from './attribute-map.js';
import type { OtelMap } from './otel-span.js';

/** Beyond this many, nothing is remembered: they are made once, beside what they are for, and not for every span. */
const PLACES_MAX = 1_024;

let places = 0;

/** What the names of attributes decide, worked out once for each list of names that comes again and again. */
export class WorkedOut<Result extends object> {
  private readonly place = places++;

  /** @param workOut pure; its result is given to every caller, who must not change it. */
  constructor(private readonly workOut: (names: readonly string[]) => Result) {}

  of(attributes: OtelMap): Result {
    if (!(attributes instanceof AttributeMap)) return this.workOut([...attributes.keys()]);
    const { worked } = attributes.shape;
    return (worked[this.place] as Result | undefined) ?? this.remember(attributes, worked);
  }

  private remember({ shape }: AttributeMap, worked: unknown[]): Result {
    const result = this.workOut(shape.names);
    if (this.place < PLACES_MAX) worked[this.place] = result;
    return result;
  }
}
