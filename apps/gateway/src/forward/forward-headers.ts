/** Headers that belong to one connection (RFC 9110 section 7.6.1), by lower case name. */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authorization',
  'te',
  'transfer-encoding',
  'upgrade',
]);

const OWN_PREFIX = 'x-spandrel-';

/**
 * The headers to send upstream: as they came, in case, order and number, without those of the connection and the
 * gateway's own.
 * @param raw name, value, name, value … as they came.
 * @param connection value of `Connection`, whose named headers go too.
 * @param host value for `Host`.
 * @param own lower case names of headers addressed to the gateway (`x-forward-url`, `x-ollama-base`).
 */
export function requestHeaders(
  raw: readonly string[],
  connection: string | undefined,
  host: string,
  own: ReadonlySet<string>,
): string[] {
  const named = namedByConnection(connection);
  const headers: string[] = [];
  let hasHost = false;
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i]!;
    const lower = name.toLowerCase();
    if (lower === 'host') {
      if (!hasHost) headers.push(name, host);
      hasHost = true;
    } else if (!HOP_BY_HOP.has(lower) && !own.has(lower) && !lower.startsWith(OWN_PREFIX) && !named?.has(lower)) {
      headers.push(name, raw[i + 1]!);
    }
  }
  if (!hasHost) headers.unshift('Host', host);
  return headers;
}

/** The values of a header. @param raw name, value, name, value … @param name in lower case. */
export const headerValues = (raw: readonly string[], name: string): string[] =>
  raw.filter((_text, index) => index % 2 === 1 && raw[index - 1]!.toLowerCase() === name);

/** Headers without some. @param raw name, value, name, value … @param names in lower case. */
export const withoutHeaders = (raw: readonly string[], names: readonly string[]): string[] =>
  raw.filter((_text, index) => !names.includes(raw[index - (index % 2)]!.toLowerCase()));

/**
 * The headers to send the client: as they came, without those of the connection.
 * @param keepTrailer whether the answer can carry trailers; without them `Trailer` must go.
 */
export function responseHeaders(raw: string[], keepTrailer: boolean): string[] {
  let connection: string | undefined;
  let hopByHop = false;
  for (let i = 0; i < raw.length; i += 2) {
    const lower = raw[i]!.toLowerCase();
    if (lower === 'connection') connection = connection === undefined ? raw[i + 1]! : `${connection},${raw[i + 1]!}`;
    if (HOP_BY_HOP.has(lower) || (lower === 'trailer' && !keepTrailer)) hopByHop = true;
  }
  if (!hopByHop) return raw;
  const named = namedByConnection(connection);
  const headers: string[] = [];
  for (let i = 0; i < raw.length; i += 2) {
    const lower = raw[i]!.toLowerCase();
    if (HOP_BY_HOP.has(lower) || named?.has(lower) || (lower === 'trailer' && !keepTrailer)) continue;
    headers.push(raw[i]!, raw[i + 1]!);
  }
  return headers;
}

/** Name and value of each field. @param fields name, value, name, value … */
export const pairs = (fields: readonly string[]): [string, string][] =>
  Array.from({ length: fields.length / 2 }, (_, i) => [fields[2 * i]!, fields[2 * i + 1]!]);

/** What `Connection` names beyond itself; a message's own framing and host stay even when it names them. */
function namedByConnection(connection: string | undefined): ReadonlySet<string> | undefined {
  if (connection === undefined) return undefined;
  const lower = connection.toLowerCase();
  if (lower === 'keep-alive' || lower === 'close') return undefined;
  const names = new Set(lower.split(',').map((name) => name.trim()));
  names.delete('host');
  names.delete('content-length');
  return names;
}
