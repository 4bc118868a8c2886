import { Global, Module } from '@nestjs/common';
import { HashKeys } from './hash-keys.js';
import { MaskingRulesStore } from './masking-rules.store.js';
import { ProjectMasking } from './project-masking.js';

/** Gives {@link ProjectMasking} to every feature that stores texts, whether rules can be changed through routes or not. */
@Global()
@Module({
  providers: [MaskingRulesStore, HashKeys, ProjectMasking],
  exports: [MaskingRulesStore, HashKeys, ProjectMasking],
})
export class MaskingModule {}
