/** A link of a recorded text that may be followed, and where it leads. */
export interface SafeLink {
  href: string;
  /** The host, or the mail address: what the text of the link may hide. */
  leadsTo: string;
}

/** Reads the address of a link: whole web and mail addresses alone may be followed; `null` for all else. */
export function safeLinkOf(address: unknown): SafeLink | null {
  if (typeof address !== 'string' || !URL.canParse(address)) return null;
  const url = new URL(address);
  if (url.protocol === 'mailto:') return { href: url.href, leadsTo: url.pathname };
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return null;
  return { href: url.href, leadsTo: url.host };
}
