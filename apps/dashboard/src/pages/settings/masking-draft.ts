import type { MaskedField, MaskingResource, MaskingRule } from '@spandrel/contract';

/** What rules may name, by the words that the page shows. */
export const FIELD_LABELS: Readonly<Record<MaskedField, string>> = {
  input: 'Input',
  output: 'Output',
  metadata: 'Metadata',
  error: 'Errors',
  name: 'Names',
  identity: 'Users, sessions, tags',
};

export const FIELDS = Object.keys(FIELD_LABELS) as MaskedField[];

/** A rule while it is edited. */
export interface DraftRule extends MaskingRule {
  /** Distinguishes drafts, whatever is changed in them. */
  key: number;
}

let drafts = 0;

export const draftsOf = (rules: readonly MaskingRule[]): DraftRule[] =>
  rules.map((rule) => ({ ...rule, key: ++drafts }));

/** A rule of a masker for everything; the first masker that no rule names, else the first of all. */
export function newDraft({ maskers }: MaskingResource, rules: readonly MaskingRule[]): DraftRule | undefined {
  const named = new Set(rules.map(({ masker }) => masker));
  const masker = maskers.find(({ name }) => !named.has(name)) ?? maskers[0];
  if (!masker) return undefined;
  return { key: ++drafts, masker: masker.name, fields: [...FIELDS], replace: 'label', label: masker.label, config: {} };
}

/** The rule with another masker: label and config are the masker's own again. */
export function withMasker(rule: DraftRule, name: string, { maskers }: MaskingResource): DraftRule {
  const label = maskers.find((masker) => masker.name === name)?.label ?? name;
  return { ...rule, masker: name, label, config: {} };
}

export function withField(rule: DraftRule, field: MaskedField, isIn: boolean): DraftRule {
  return { ...rule, fields: FIELDS.filter((one) => (one === field ? isIn : rule.fields.includes(one))) };
}

/** Rules as they are sent. */
export const rulesOf = (drafted: readonly (MaskingRule & Partial<DraftRule>)[]): MaskingRule[] =>
  drafted.map(({ key: _key, ...rule }) => rule);

/** Whether rules, or drafts of some, say something else than others. */
export const isChanged = (rules: readonly MaskingRule[], others: readonly MaskingRule[]): boolean =>
  JSON.stringify(rulesOf(rules)) !== JSON.stringify(rulesOf(others));
