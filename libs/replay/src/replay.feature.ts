import { defineFeature } from '@spandrel/kernel';
import { TryModule } from './try/try.module.js';
import { TrySettings } from './try/try.settings.js';

export const replayFeature = defineFeature({
  name: 'replay',
  tag: { name: 'Replay', description: 'Recorded calls made again, as they were or otherwise.' },
  module: TryModule,
  entities: [],
  settings: [TrySettings],
  requires: ['tracing', 'connections'],
});
