import { isStorableText, type FieldError } from '@spandrel/contract';
import { invalidRequest, type Invalid, type Named } from '@spandrel/kernel';
import type { Provider } from '@spandrel/plugin-api';
import type { AddressRule } from './calls/address-rule.js';
import { originOf } from './calls/open-connection.js';

/** Whether a connection of the provider must have a key. Servers of one's own often want none. */
export const needsKey = (provider: string): boolean => provider === 'openai' || provider === 'anthropic';

/** Paths of calls at the end of a base, where people copy them from examples of single calls. */
const CALL_PATH = /(\/(?:chat\/completions|completions|responses|embeddings|messages|models))\/*$/;

/** Where a connection leads. */
export interface Destination {
  provider: string;
  baseUrl: string | null;
}

/**
 * Checks what the wire's schema cannot know: the provider is loaded, there is a base to call that may be called, and a
 * key where the provider wants one (docs/spec/connections.md#connection-routes).
 * @param keyIsEmpty of the key the connection will have.
 * @throws Invalid `validation_failed`
 */
export function checkConnection(
  providers: readonly Named<Provider>[],
  addresses: AddressRule,
  { provider, baseUrl }: Destination,
  keyIsEmpty: boolean,
): void {
  const extension = providers.find(({ name }) => name === provider)?.extension;
  if (!extension) {
    const names = providers.map(({ name }) => name).join(', ');
    throw invalid({ path: 'provider', message: `must be one of the loaded providers: ${names}` });
  }
  if (baseUrl !== null && !isStorableText(baseUrl)) {
    throw invalid({ path: 'base_url', message: 'must not hold NUL characters or lone surrogates' });
  }
  const addressFault = baseUrl === null ? undefined : addresses.faultOf(baseUrl, extension.defaultBaseUrl);
  if (addressFault !== undefined) throw invalid({ path: 'base_url', message: addressFault });
  const callPath = baseUrl === null ? undefined : CALL_PATH.exec(URL.parse(baseUrl)?.pathname ?? '')?.[1];
  if (callPath !== undefined) {
    throw invalid({ path: 'base_url', message: `must end before ${callPath}, which every call puts behind it` });
  }
  if (baseUrl === null && extension.defaultBaseUrl === null) {
    throw invalid({ path: 'base_url', message: `is required: the provider ${provider} has no default` });
  }
  if (keyIsEmpty && needsKey(provider)) {
    throw invalid({ path: 'api_key', message: `must not be empty: the provider ${provider} wants a key` });
  }
}

/**
 * Whether calls of a connection go to another server, or in another provider's manner, than before: a key that was
 * given for the one must not be sent to the other.
 */
export function leadsElsewhere(
  providers: readonly Named<Provider>[],
  before: Destination,
  after: Destination,
): boolean {
  const originFor = ({ provider, baseUrl }: Destination): string | undefined =>
    originOf(baseUrl ?? providers.find(({ name }) => name === provider)?.extension.defaultBaseUrl ?? null);
  return before.provider !== after.provider || originFor(before) !== originFor(after);
}

export const keyNeededAgain = (): Invalid =>
  invalid({
    path: 'api_key',
    message:
      'is required when provider or the server of base_url changes: the stored key is not sent to another server',
  });

const invalid = (error: FieldError): Invalid => invalidRequest([error]);
