/**
 * @param url the base of a server, which may have a path of its own.
 * @returns it without a slash at its end.
 * @throws TypeError when it is not an `http:` or `https:` URL.
 */
export function checkedBase(url: string): string {
  const { protocol, origin, pathname } = URL.canParse(url) ? new URL(url) : ({ protocol: '' } as URL);
  if (!/^https?:$/.test(protocol)) throw new TypeError(`"${url}" is not an http or https URL`);
  return origin + pathname.replace(/(?<!\/)\/+$/, '');
}
