/** What is recorded in the place of a value whose member is named like a secret. */
export const MASKED = '[masked]';

/**
 * Ends of names, without their separators and in lower case. Tokens of models and of lists are no secrets:
 * `next_page_token`, `eos_token`, `time_to_first_token`.
 */
const SECRET =
  /((api|secret|private|access)key|passw(or)?d|passphrase|secret)s?$|(authorization|cookie|^jwt|(?<!page|next|continuation|stop|eos|bos|pad|first|max|per)token)$/;
/** Names that only data have are not kept for the life of the application: so long ones, and not more than so many. */
const LENGTH_MAX = 64;
const REMEMBERED_MAX = 4_096;
const remembered = new Map<string, boolean>();

/**
 * Whether a member is named like a secret, whatever its case and separators: `apiKey`, `OPENAI_API_KEY`, `x-api-key`,
 * `clientSecret`, `access_token`; but not `max_tokens` or `next_page_token` (docs/sdk.md#secrets).
 */
export function isSecretName(name: unknown): boolean {
  if (typeof name !== 'string') return false;
  let isSecret = remembered.get(name);
  if (isSecret === undefined) {
    isSecret = SECRET.test(name.toLowerCase().replace(/[\W_]/g, ''));
    if (name.length < LENGTH_MAX && remembered.size < REMEMBERED_MAX) remembered.set(name, isSecret);
  }
  return isSecret;
}

/** Whether a value may be a secret: what only says that there is one, is none. */
export const mayBeSecret = (value: unknown): boolean => Boolean(value) && value !== true;
