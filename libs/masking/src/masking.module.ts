import { Global, Module } from '@nestjs/common';
import { MaskingRulesStore } from './masking-rules.store.js';
import { ProjectMasking } from './project-masking.js';

/** Gives {@link ProjectMasking} to every feature that stores texts, whether rules can be changed through routes or not. */
@Global()
@Module({ providers: [MaskingRulesStore, ProjectMasking], exports: [MaskingRulesStore, ProjectMasking] })
export class MaskingModule {}
