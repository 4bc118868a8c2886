import { Invalid, nearestName } from '@spandrel/kernel';
import { cameAs } from '@spandrel/uploads';

export type FileFormat = 'jsonl' | 'json' | 'csv';

const BY_EXTENSION: Readonly<Record<string, FileFormat>> = {
  jsonl: 'jsonl',
  ndjson: 'jsonl',
  json: 'json',
  csv: 'csv',
};

const BY_MEDIA_TYPE: Readonly<Record<string, FileFormat>> = {
  'application/x-ndjson': 'jsonl',
  'application/ndjson': 'jsonl',
  'application/jsonl': 'jsonl',
  'application/x-jsonlines': 'jsonl',
  'application/json': 'json',
  'text/csv': 'csv',
};

/** What an export of each format is called. */
export const MEDIA_TYPE: Readonly<Record<FileFormat, string>> = {
  jsonl: 'application/x-ndjson; charset=utf-8',
  json: 'application/json; charset=utf-8',
  csv: 'text/csv; charset=utf-8; header=present',
};

/**
 * The format of a file by the extension of its name, else by its media type (docs/spec/import-export.md#file-formats).
 * @throws Invalid `unsupported_media_type`.
 */
export function fileFormat(name: string | undefined, contentType: string | undefined): FileFormat {
  const extension = /\.([^./\\]+)$/.exec(name ?? '')?.[1]?.toLowerCase() ?? '';
  const mediaType = (contentType ?? '').split(';')[0]!.trim().toLowerCase();
  const format = valueOf(BY_EXTENSION, extension) ?? valueOf(BY_MEDIA_TYPE, mediaType);
  if (format) return format;
  throw new Invalid(
    'unsupported_media_type',
    `the format of the file is not known: it came ${cameAs(name, contentType)}; ${advice(extension)}name it .jsonl, .ndjson, .json or .csv, or send it as application/x-ndjson, application/json or text/csv`,
  );
}

const ADVICE: Readonly<Record<string, string>> = {
  xlsx: 'save the spreadsheet as CSV; ',
  xls: 'save the spreadsheet as CSV; ',
  ods: 'save the spreadsheet as CSV; ',
  tsv: 'save the file separated by commas, as .csv; ',
  tab: 'save the file separated by commas, as .csv; ',
  gz: 'unpack the file first; ',
  zip: 'unpack the file first; ',
};

function advice(extension: string): string {
  if (Object.hasOwn(ADVICE, extension)) return ADVICE[extension]!;
  const nearest = nearestName(extension, Object.keys(BY_EXTENSION));
  return nearest === undefined ? '' : `did you mean .${nearest}? `;
}

const valueOf = (formats: Readonly<Record<string, FileFormat>>, key: string): FileFormat | undefined =>
  Object.hasOwn(formats, key) ? formats[key] : undefined;
