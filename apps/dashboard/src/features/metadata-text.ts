/** A value of metadata: a text as it is, anything else as JSON, with every digit. */
export const metadataText = (value: unknown, indent?: number): string =>
  typeof value === 'string' ? value : JSON.stringify(value, null, indent);

/** Metadata in one line: `release=2.5.0, retries=3`. */
export const metadataLine = (metadata: object): string =>
  Object.entries(metadata)
    .map(([key, value]) => `${key}=${metadataText(value)}`)
    .join(', ');
