import { setImmediate as nextTurn } from 'node:timers/promises';
import { MASKED_FIELDS, type MaskedField, type MaskingRule } from '@spandrel/contract';
import type { LoadedMasker, PluginEntry } from '@spandrel/kernel/launch';
import { maskJson, type KnownMembers } from './json-walk.js';
import { prepareRule, type PreparedFields } from './prepare-rules.js';
import { TextMasker, type TextMaskerParts } from './text-masker.js';
import { BegunHashes, ProjectHashes, type ValueHashes } from './value-hashes.js';

/** What masks the members of a thing that is to be stored: each of the lib's `mask…` functions is given one. */
export interface MaskingCalls {
  /** The JSON value as it may be stored, masked as each of the fields in turn; by reference where nothing is masked. */
  json<Value>(value: Value, ...fields: MaskedField[]): Value;
  /** The text as it may be stored. @param lengthMax UTF-16 units that its column takes; a masked text may be longer. */
  text<Text extends string | null | undefined>(text: Text, field: MaskedField, lengthMax?: number): Text;
  /**
   * The object as it may be stored.
   * @param known fields of members that stay by their name; `null` for one that stays as it is.
   * @param field of all other members, whose names may hold a value too.
   */
  members<Value extends object>(object: Value, known: MemberFields, field: MaskedField): Value;
}

export type MemberFields = Readonly<Record<string, MaskedField | null>>;

/** Calls that mask each value at once. */
export abstract class MaskingAtOnce implements MaskingCalls {
  /** The masked value. @param known as for {@link MaskingCalls.members}. */
  protected abstract walk(value: unknown, field: MaskedField, known?: MemberFields): unknown;

  json<Value>(value: Value, ...fields: MaskedField[]): Value {
    return fields.reduce<unknown>((masked, field) => this.walk(masked, field), value) as Value;
  }

  text<Text extends string | null | undefined>(text: Text, field: MaskedField, lengthMax = Infinity): Text {
    return typeof text === 'string' ? (fitted(this.walk(text, field) as string, lengthMax) as Text) : text;
  }

  members<Value extends object>(object: Value, known: MemberFields, field: MaskedField): Value {
    return this.walk(object, field, known) as Value;
  }
}

/** The rules of a project, ready to mask what is recorded in it, at once and however long it takes (docs/spec/masking.md). */
export class Masking extends MaskingAtOnce {
  private readonly maskers: ReadonlyMap<MaskedField, TextMasker>;

  /** @param maskers those of this process; a rule that names another masks the texts of its fields as a whole. */
  constructor(
    rules: readonly MaskingRule[],
    maskers: readonly LoadedMasker[],
    parts: TextMaskerParts,
    prepared: readonly PreparedFields[] = rules.map((rule) => prepareRule(rule, maskers)),
  ) {
    super();
    this.maskers = new Map(
      MASKED_FIELDS.flatMap((field) => {
        const own = prepared.filter(({ fields }) => fields.includes(field)).map(({ rule }) => rule);
        return own.length === 0 ? [] : [[field, new TextMasker(own, parts)] as const];
      }),
    );
  }

  /** What the constructor makes, with pauses for others: a pattern may take milliseconds to compile. */
  static async prepared(
    rules: readonly MaskingRule[],
    maskers: readonly LoadedMasker[],
    parts: TextMaskerParts,
  ): Promise<Masking> {
    const prepared: PreparedFields[] = [];
    for (const rule of rules) {
      prepared.push(prepareRule(rule, maskers));
      await nextTurn();
    }
    return new Masking(rules, maskers, parts, prepared);
  }

  protected walk(value: unknown, field: MaskedField, known?: MemberFields): unknown {
    return maskJson(value, this.of(field), known && this.knownOf(known));
  }

  /** What masks a field; `undefined` for one that no rule names. */
  of(field: MaskedField): TextMasker | undefined {
    return this.maskers.get(field);
  }

  fieldOf(masker: TextMasker): MaskedField {
    return MASKED_FIELDS.find((field) => this.maskers.get(field) === masker)!;
  }

  knownOf(known: MemberFields): KnownMembers {
    return new Map(Object.entries(known).map(([name, field]) => [name, field === null ? undefined : this.of(field)]));
  }
}

/** A masked text in a column of limited length. */
export const fitted = (masked: string, lengthMax: number): string =>
  masked.length > lengthMax ? masked.slice(0, lengthMax).toWellFormed() : masked;

/** What a {@link Masking} is made of, in a form that a thread can get: plain data. */
export interface MaskingRecipe {
  readonly rules: readonly MaskingRule[];
  /** The key of hashes in base64url: a server's, or what a gateway begins hashes with. `null`: values become labels. */
  readonly hashKey: { readonly kind: 'project' | 'begun'; readonly key: string } | null;
}

/** What makes the hashes of a recipe. */
export function hashesOf({ hashKey }: MaskingRecipe): ValueHashes | null {
  if (hashKey === null) return null;
  const key = Buffer.from(hashKey.key, 'base64url');
  return hashKey.kind === 'project' ? new ProjectHashes(key) : new BegunHashes(key);
}

/** Makes a masking in this thread. @param maskers those of this thread. */
export const maskingOf = (
  recipe: MaskingRecipe,
  maskers: readonly LoadedMasker[],
  parts: Omit<TextMaskerParts, 'hashes'>,
): Masking => new Masking(recipe.rules, maskers, { ...parts, hashes: hashesOf(recipe) });

/** What loads the maskers of a process in a thread of it once more: plain data. */
export const maskerEntries = (maskers: readonly LoadedMasker[]): PluginEntry[] => maskers.map(({ entry }) => entry);
