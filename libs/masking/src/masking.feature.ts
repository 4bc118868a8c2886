import { Module } from '@nestjs/common';
import { defineFeature, ofProjects } from '@spandrel/kernel';
import { ChangeMasking } from './change-masking.js';
import { MaskedProject } from './masked-project.js';
import { MaskingController } from './masking.controller.js';
import { MaskingRulesSchema } from './masking-rules.entity.js';
import { PreviewRules } from './preview-rules.js';

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
