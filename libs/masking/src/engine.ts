/** The second door of this lib: rules and what they do to values, without database and framework, as gateways and threads need it. */
export { FailedTexts } from './engine/failed-texts.js';
export { holdsMasked } from './engine/value-hashes.js';
export { maskSpan, maskTrace } from './engine/mask-span.js';
export { Masking, type MaskingCalls } from './engine/masking.js';
export { maskerEntries, maskingOf, type MaskingRecipe } from './engine/masking.js';
export { BegunHashes } from './engine/value-hashes.js';
