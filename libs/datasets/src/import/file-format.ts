import { Invalid } from '@spandrel/kernel';

/** What a file of datapoints is written in. */
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
    'the format of the file is not known; name it .jsonl, .ndjson, .json or .csv, or send it as application/x-ndjson, application/json or text/csv',
  );
}

const valueOf = (formats: Readonly<Record<string, FileFormat>>, key: string): FileFormat | undefined =>
  Object.hasOwn(formats, key) ? formats[key] : undefined;
