import { defineFeature } from '@spandrel/kernel';
import { EventsModule } from './events.module.js';

export const eventsFeature = defineFeature({ name: 'events', module: EventsModule, entities: [], requires: [] });
