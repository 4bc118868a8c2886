import type { ScoreDefinition, UpdateScoreDefinition } from '@spandrel/contract';
import { FormFault } from '../../api/form-faults.js';

type Categories = ScoreDefinition['categories'];

export const KIND_WORDS: Readonly<Record<ScoreDefinition['kind'], string>> = {
  number: 'Number',
  category: 'Category',
  boolean: 'Yes or no',
  text: 'Text',
};

/** Categories as a text, one a line, with what each counts behind `=`. */
export const writeCategories = (categories: Categories): string =>
  categories.map(({ label, value }) => (value === null ? label : `${label} = ${value}`)).join('\n');

/** Reads them again; a label may have `=` in it, where no number follows. */
export function readCategories(text: string): Categories {
  return text.split('\n').flatMap((line): Categories => {
    const typed = line.trim();
    const at = typed.lastIndexOf('=');
    const [label, number] = [typed.slice(0, Math.max(0, at)).trim(), typed.slice(at + 1).trim()];
    if (label !== '' && number !== '' && Number.isFinite(Number(number))) return [{ label, value: Number(number) }];
    return typed === '' ? [] : [{ label: typed, value: null }];
  });
}

/** The fields of a definition as the request; what its kind does not have is left out. @throws FormFault */
export function readDefinition(form: FormData): UpdateScoreDefinition {
  const textOf = (name: string): string => String(form.get(name) ?? '').trim();
  const numberOf = (name: string): number | null => {
    const text = textOf(name);
    if (text === '') return null;
    if (!Number.isFinite(Number(text))) throw new FormFault(name, 'must be a number');
    return Number(text);
  };
  const kind = textOf('kind') as ScoreDefinition['kind'];
  return {
    kind,
    ...(kind === 'number' && { min: numberOf('min'), max: numberOf('max') }),
    ...(kind === 'category' && { categories: readCategories(textOf('categories')) }),
    ...(textOf('level') !== '' && { level: textOf('level') as ScoreDefinition['level'] }),
    description: textOf('description') || null,
  };
}
