import type { MaskedField } from '@spandrel/contract';
import type { MaskingRecipe } from '../engine/masking-recipe.js';

/** A text that is to be masked in a thread. */
export interface LongText {
  readonly recipe: MaskingRecipe;
  readonly field: MaskedField;
  readonly text: string;
}

/** What became of it. */
export interface MaskedText {
  readonly text: string;
  /** Maskers that failed, so that it was masked as a whole. */
  readonly failed: readonly string[];
  readonly found: readonly { masker: string; label: string; count: number }[];
}
