import type { DatapointPreview } from '@spandrel/contract';

/** Where a datapoint came from, in words. */
export const SOURCE_WORDS: Readonly<Record<DatapointPreview['source'], string>> = {
  manual: 'Manual',
  span_export: 'Span export',
  file_upload: 'File upload',
};

/** What fields of a source offer; `''` for any. @param chosen also offered, where it is several with commas between. */
export const sourceOptions = (chosen = '') => [
  { value: '', label: 'Any source' },
  ...Object.entries(SOURCE_WORDS).map(([value, label]) => ({ value, label })),
  ...(chosen.includes(',') ? [{ value: chosen, label: chosen.split(',').map(wordsOf).join(', ') }] : []),
];

const wordsOf = (source: string): string => (SOURCE_WORDS as Readonly<Record<string, string>>)[source] ?? source;
