import { MASKED_FIELDS, type MaskedField, type MaskingRule } from '@spandrel/contract';
import type { LoadedMasker } from '@spandrel/kernel';
import { maskJson } from './mask-json.js';
import { prepareRules } from './prepare-rules.js';
import { TextMasker, type TextMaskerParts } from './text-masker.js';

/** The rules of a project, ready to mask what is recorded in it (docs/spec/masking.md). */
export class Masking {
  private readonly maskers: ReadonlyMap<MaskedField, TextMasker>;

  /** @param maskers those of this process; a rule that names another masks the texts of its fields as a whole. */
  constructor(rules: readonly MaskingRule[], maskers: readonly LoadedMasker[], parts: TextMaskerParts) {
    const prepared = prepareRules(rules, maskers);
    this.maskers = new Map(
      MASKED_FIELDS.flatMap((field) => {
        const own = prepared.filter(({ rule }) => rule.fields.includes(field)).map((one) => one.prepared);
        return own.length === 0 ? [] : [[field, new TextMasker(own, parts)] as const];
      }),
    );
  }

  /** The JSON value as it may be stored; by reference where nothing is masked. */
  json<Value>(value: Value, field: MaskedField): Value {
    const masker = this.maskers.get(field);
    return masker && value !== undefined ? (maskJson(value, masker) as Value) : value;
  }

  /** The text as it may be stored. @param lengthMax UTF-16 units that its column takes; a masked text may be longer. */
  text<Text extends string | null | undefined>(text: Text, field: MaskedField, lengthMax = Infinity): Text {
    const masker = this.maskers.get(field);
    if (!masker || typeof text !== 'string') return text;
    const masked = masker.mask(text);
    return (masked.length > lengthMax ? masked.slice(0, lengthMax).toWellFormed() : masked) as Text;
  }
}
