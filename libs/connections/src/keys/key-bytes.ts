/**
 * Reads a key of 32 bytes written as base64 or hex (docs/spec/configuration.md#settings-of-cloud-mode); `undefined`
 * when it is none.
 */
export function parseKeyBytes(text: string): Buffer | undefined {
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex');
  return /^[\w+/-]{43}=?$/.test(text) ? Buffer.from(text, 'base64') : undefined;
}
