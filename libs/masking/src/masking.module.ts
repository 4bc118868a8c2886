import { Global, Module } from '@nestjs/common';
import { defineFeature, ofProjects } from '@spandrel/kernel';
import { HashKeys, ProjectMasking } from './project-masking.js';
import { MaskingRulesStore } from './masking-rules.store.js';
import { ChangeMasking, PreviewRules } from './change-masking.js';
import { MaskedProject, MaskingController } from './masking.controller.js';
import { MaskingRulesSchema } from './masking-rules.entity.js';

/** Gives {@link ProjectMasking} to every feature that stores texts, whether rules can be changed through routes or not. */
@Global()
@Module({
  providers: [MaskingRulesStore, HashKeys, ProjectMasking],
  exports: [MaskingRulesStore, HashKeys, ProjectMasking],
})
export class MaskingModule {}

/** The routes of masking. What masks is there without them: `MaskingModule`. */
@Module({ controllers: [MaskingController], providers: [ChangeMasking, MaskedProject, PreviewRules] })
class MaskingRoutes {}

export const maskingFeature = defineFeature({
  name: 'masking',
  tag: { name: 'Masking', description: 'What of texts is replaced before they are stored.' },
  module: MaskingRoutes,
  entities: [MaskingRulesSchema],
  owned: ofProjects('masking_rules'),
  requires: [],
});
