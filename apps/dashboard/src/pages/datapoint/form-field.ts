import { readJson } from './read-json.js';

/** A value of a datapoint as a form has it: a text as it is, everything else as JSON. */
export interface FormField {
  as: 'text' | 'json';
  text: string;
  /** What an empty field stands for: no value at all, `null`, or the empty text. */
  empty: undefined | null | '';
}

/** A value as it is filled in. */
export function fieldOf(value: unknown): FormField {
  if (typeof value === 'string') return { as: 'text', text: value, empty: '' };
  if (value === undefined || value === null) return { as: 'text', text: '', empty: value };
  return { as: 'json', text: JSON.stringify(value, null, 2), empty: '' };
}

/** A value that is never a text; without one it is left out. */
export const jsonFieldOf = (value: unknown): FormField => ({
  as: 'json',
  text: value === undefined || value === null ? '' : JSON.stringify(value, null, 2),
  empty: undefined,
});

/**
 * What a field says, as JSON; `null` for no value. What was typed as JSON is taken as it is: a fault in it is one of the
 * whole text.
 */
export function jsonOfField({ as, text, empty }: FormField): string | null {
  const isEmpty = (as === 'json' ? text.trim() : text) === '';
  if (isEmpty) return empty === undefined ? null : JSON.stringify(empty);
  return as === 'json' ? text.trim() : JSON.stringify(text);
}

/** What is wrong with a field that holds JSON; `undefined` for nothing. */
export function faultOfField({ as, text }: FormField): string | undefined {
  return as === 'json' && text.trim() !== '' && parse(text) === null ? 'This is not valid JSON yet.' : undefined;
}

/** The field read the other way: the JSON `"a"` is the text `a`; a text that is no JSON becomes a JSON string. */
export function readAs(field: FormField, as: FormField['as']): FormField {
  if (field.as === as || field.text === '') return { ...field, as };
  const parsed = parse(field.text);
  if (as === 'json') return { ...field, as, text: parsed === null ? JSON.stringify(field.text) : field.text };
  return { ...field, as, text: typeof parsed?.value === 'string' ? parsed.value : field.text };
}

function parse(text: string): { value: unknown } | null {
  try {
    return { value: readJson(text) };
  } catch {
    return null;
  }
}
