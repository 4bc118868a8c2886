import type { FieldError, MaskedField, MaskingRule } from '@spandrel/contract';
import { nearestName, type LoadedMasker } from '@spandrel/kernel/launch';
import type { Finder } from '@spandrel/plugin-api';

export interface PreparedRule {
  readonly masker: string;
  readonly label: string;
  readonly hashes: boolean;
  /** `null` for a rule that cannot be kept: every text of its fields is masked as a whole. */
  readonly finder: Finder | null;
}

/** A rule of a project as it is given or stored; members left out take the masker's. */
export interface GivenRule {
  masker: string;
  fields?: readonly MaskedField[] | null | undefined;
  replace: MaskingRule['replace'];
  label?: string | null | undefined;
  config?: Record<string, unknown> | null | undefined;
}

/** The finder of a rule, or everything that is wrong with the rule; paths are from its root. Never throws. */
export function finderOf(
  { masker: name, config }: GivenRule,
  maskers: readonly LoadedMasker[],
): { masker: LoadedMasker; finder: Finder } | { faults: FieldError[] } {
  const masker = maskers.find((one) => one.name === name);
  if (!masker) return { faults: [{ path: 'masker', message: unknownMasker(name, maskers) }] };
  const laid = masker.configure(config);
  if ('faults' in laid) {
    return { faults: laid.faults.map(({ path, message }) => ({ path: joined(path), message })) };
  }
  try {
    return { masker, finder: masker.extension.finder(laid.config) };
  } catch (error) {
    return {
      faults: [{ path: 'config', message: `is refused: ${error instanceof Error ? error.message : String(error)}` }],
    };
  }
}

const joined = (path: string): string =>
  path === '' ? 'config' : path.startsWith('[') ? `config${path}` : `config.${path}`;

function unknownMasker(name: string, maskers: readonly LoadedMasker[]): string {
  const names = maskers.map((one) => one.name);
  const meant = nearestName(name, names);
  return `must be one of ${names.join(', ')}${meant === undefined ? '' : `; did you mean "${meant}"?`}`;
}

/** A rule ready to be asked, and the fields that it holds for. */
export interface PreparedFields {
  readonly fields: readonly MaskedField[];
  readonly rule: PreparedRule;
}

/** Makes a rule ready; one that cannot be kept too. */
export function prepareRule(rule: MaskingRule, maskers: readonly LoadedMasker[]): PreparedFields {
  const { masker, label, replace, fields } = rule;
  const made = finderOf(rule, maskers);
  return { fields, rule: { masker, label, hashes: replace === 'hash', finder: 'finder' in made ? made.finder : null } };
}
