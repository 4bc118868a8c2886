import { numberOf } from '@spandrel/contract';
import { z } from 'zod';

/** A whole number that a tool takes. */
interface NumberArgument {
  min: number;
  max: number;
  /** Shown to agents; the tool takes it when the argument is left out. */
  default?: number;
  description: string;
}

/** An optional whole number among the arguments; one with more digits than a double has counts as the double. */
export const numberArgument = ({ min, max, default: usual, description }: NumberArgument) =>
  z
    .preprocess((value) => numberOf(value) ?? value, z.number().int().min(min).max(max))
    .optional()
    .meta({ description, ...(usual !== undefined && { default: usual }) });
