/** A name or media type that a client made up may be of any length. */
const SHOWN_LENGTH_MAX = 100;

/** How a file came that is not taken, for the answer: `as "a.xlsx" and without a media type`. */
export function cameAs(name: string | undefined, contentType: string | undefined): string {
  const mediaType = (contentType ?? '').split(';')[0]!.trim().toLowerCase().slice(0, SHOWN_LENGTH_MAX);
  const named = name === undefined ? 'without a name' : `as ${JSON.stringify(name.slice(-SHOWN_LENGTH_MAX))}`;
  const typed = mediaType === '' ? 'without a media type' : `with the media type ${JSON.stringify(mediaType)}`;
  return `${named} and ${typed}`;
}
