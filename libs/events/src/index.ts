export { DomainEvents, type EventSink, type WireEvent } from './domain-events.js';
export { eventsFeature, EventsModule } from './events.module.js';
export { EventsSettings } from './events.settings.js';
