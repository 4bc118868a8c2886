import { openAiErrorBody } from '../openai-format/error-body.js';
import type { Provider } from '../provider.js';
import { errorMessageOf } from '../wire/error-message.js';
import { filledTextOf } from '../wire/lenient-json.js';
import { viewOf } from './json-view.js';
import { openAiFormatParts } from './openai-format-parts.js';
import { ownFormatParts } from './own-format-parts.js';
import type { ProviderDeclaration } from './provider-declaration.js';

/** The provider that a checked declaration describes: its own members where it has them, the defaults elsewhere. */
export function completeProvider(declaration: ProviderDeclaration): Provider {
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
