import type { Provider } from '../provider.js';
import { declarationFaults, pricesFaults } from './declaration-schema.js';
import { viewOf } from './declared-endpoint.js';
import type { ProviderDeclaration } from './provider-declaration.js';
import { openAiErrorBody } from '../openai-format/chat-answer.js';
import { errorMessageOf } from '../wire/error-message.js';
import { filledTextOf } from '../wire/lenient-json.js';
import { openAiFormatParts } from './openai-format-parts.js';
import { ownFormatParts } from './own-format-parts.js';

/** What is wrong with a provider that a plugin gives; the message is one line for the plugin's author. */
export class DeclarationError extends Error {
  override readonly name = 'DeclarationError';
}

/** A declaration is checked and completed, any other provider is taken but for its prices. @throws DeclarationError */
export function providerOf(given: Provider | ProviderDeclaration): Provider {
  const declared = isDeclaration(given);
  const faults = declared ? declarationFaults(given) : pricesFaults(given.prices);
  if (faults.length > 0) throw new DeclarationError(faults.join('; '));
  return declared ? completeProvider(given) : given;
}

/** A whole provider may have a `baseUrl` of its own too, but it always has `endpoint`, which no declaration has. */
const isDeclaration = (given: Provider | ProviderDeclaration): given is ProviderDeclaration =>
  'baseUrl' in given && !('endpoint' in given);

function completeProvider(declaration: ProviderDeclaration): Provider {
  const parts = declaration.format === 'openai' ? openAiFormatParts(declaration) : ownFormatParts(declaration);
  return {
    ...parts,
    hosts: declaration.hosts ?? [new URL(declaration.baseUrl).hostname],
    recognises: declaration.recognises?.bind(declaration) ?? parts.recognises,
    errorBody: declaration.errorBody?.bind(declaration) ?? openAiErrorBody,
    // The gateway answers errors in the default form even where the provider's own are read from another place.
    errorMessage: (body) => filledTextOf(declaration.errorMessage?.(viewOf(body))) ?? errorMessageOf(body),
    ...(declaration.prices && { prices: declaration.prices }),
  };
}
