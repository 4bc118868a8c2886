import { defineFeature, ofProjects } from '@spandrel/kernel';
import { CommentSchema, SavedItemSchema, TraceShareSchema } from './collaboration.entity.js';
import { CollaborationModule, SharingModule } from './collaboration.module.js';
import { SharingSettings } from './collaboration.settings.js';

export const collaborationFeature = defineFeature({
  name: 'collaboration',
  tag: { name: 'Collaboration', description: 'Saved views, boards and comments: what a team shares.' },
  module: CollaborationModule,
  entities: [SavedItemSchema, CommentSchema],
  owned: ofProjects('saved_item', 'comment'),
  requires: ['tracing', 'datasets', 'evals'],
});

export const sharingFeature = defineFeature({
  name: 'sharing',
  mode: 'cloud',
  tag: { name: 'Sharing', description: 'Links that open one trace without signing in.' },
  module: SharingModule,
  entities: [TraceShareSchema],
  owned: ofProjects('trace_share'),
  settings: [SharingSettings],
  requires: ['tracing', 'access'],
});
