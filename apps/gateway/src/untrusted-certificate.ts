const CODES: ReadonlySet<unknown> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** @returns what to do about an API whose certificate this program does not trust; `null` for any other error. */
export function untrustedCertificate(error: unknown): string | null {
  const { code } = Object(error) as NodeJS.ErrnoException;
  if (!CODES.has(code)) return null;
  return `the certificate at gateway.api_url is not trusted here (${code}): NODE_EXTRA_CA_CERTS can name the certificate of an authority of your own`;
}
