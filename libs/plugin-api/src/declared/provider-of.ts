import type { Provider } from '../provider.js';
import { completeProvider } from './complete-provider.js';
import { declarationFaults, pricesFaults } from './declaration-schema.js';
import type { ProviderDeclaration } from './provider-declaration.js';

/** What is wrong with a provider that a plugin gives; the message is one line for the plugin's author. */
export class DeclarationError extends Error {
  override readonly name = 'DeclarationError';
}

/**
 * The provider that a plugin gives: a declaration is checked and completed, anything else is taken as it is but for its
 * prices.
 * @throws DeclarationError
 */
export function providerOf(given: Provider | ProviderDeclaration): Provider {
  const declared = isDeclaration(given);
  const faults = declared ? declarationFaults(given) : pricesFaults(given.prices);
  if (faults.length > 0) throw new DeclarationError(faults.join('; '));
  return declared ? completeProvider(given) : given;
}

/** A whole provider may have a `baseUrl` of its own too, but it always has `endpoint`, which no declaration has. */
const isDeclaration = (given: Provider | ProviderDeclaration): given is ProviderDeclaration =>
  'baseUrl' in given && !('endpoint' in given);
