/** The two encodings of OTLP over HTTP. */
export type OtlpEncoding = 'protobuf' | 'json';

const ENCODINGS: ReadonlyMap<string, OtlpEncoding> = new Map([
  ['application/x-protobuf', 'protobuf'],
  ['application/protobuf', 'protobuf'],
  ['application/json', 'json'],
]);

/** Media types by encoding, as answers have them. */
export const MEDIA_TYPES: Readonly<Record<OtlpEncoding, string>> = {
  protobuf: 'application/x-protobuf',
  json: 'application/json',
};

/** @param contentType as it came, with parameters. @returns `undefined` for a media type that OTLP does not have. */
export const encodingOf = (contentType: string | undefined): OtlpEncoding | undefined =>
  ENCODINGS.get((contentType ?? '').split(';', 1)[0]!.trim().toLowerCase());
