/**
 * The encoding in which a file is sent (RFC 9110, 12.5.3): the first that the client takes.
 * @param available encodings that there are, the preferred one first.
 * @returns `undefined` for the plain file, also for a client that sends no header or refuses everything.
 */
export function acceptedEncoding<Encoding extends string>(
  header: string | undefined,
  available: readonly Encoding[],
): Encoding | undefined {
  const weights = new Map((header ?? '').split(',').map(weightOf));
  return available.find((encoding) => (weights.get(encoding) ?? weights.get('*') ?? 0) > 0);
}

/** `gzip;q=0.5` as its name and weight. A weight that is no number counts as none. */
function weightOf(entry: string): [name: string, weight: number] {
  const [name = '', ...parameters] = entry.split(';').map((part) => part.trim().toLowerCase());
  const quality = parameters.find((parameter) => parameter.startsWith('q='));
  const weight = quality === undefined ? 1 : Number(quality.slice('q='.length));
  return [name, Number.isFinite(weight) ? weight : 0];
}
