import { AttributeMap } from './attribute-map.js';
import type { OtelMap } from './otel-span.js';
import { WorkedOut } from './worked-out.js';

/** Names of attributes, the first before the others; see {@link attributeNames}. */
export class AttributeNames {
  private readonly present: WorkedOut<readonly string[]>;

  constructor(private readonly names: readonly string[]) {
    this.present = new WorkedOut((there) => names.filter((name) => there.includes(name)));
  }

  /** Which of them may be there. */
  in(attributes: OtelMap): readonly string[] {
    return attributes instanceof AttributeMap ? this.present.of(attributes) : this.names;
  }
}

/**
 * Names for the readers of single attributes (`textAt`, `countAt` …). Made once, beside the dialect: which of them are there
 * is then found out once for all spans that have the same attributes, and names that are not there cost nothing.
 */
export const attributeNames = (...names: readonly string[]): AttributeNames => new AttributeNames(names);
