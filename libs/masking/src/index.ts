export { holdsMasked } from './engine/value-hashes.js';
export { maskDatapoint, maskReviewed } from './engine/mask-span.js';
export { maskAnswers, maskKey, maskScore, maskSpan, maskTrace } from './engine/mask-span.js';
export { Masking, type MaskingCalls } from './engine/masking.js';
export { BoundedMasking, maskedJson } from './bounded/bounded-masking.js';
export { maskingCommands, type MaskingCommands } from './change-masking.js';
export { allHashKeys, MaskingRulesStore, saveHashKey } from './masking-rules.store.js';
export { maskingFeature, MaskingModule } from './masking.module.js';
export { ProjectMasking } from './project-masking.js';
