export { DomainEvents, type EventSink, type ShortEvent, type WireEvent } from './domain-events.js';
export { eventsFeature } from './events.feature.js';
export { EventsModule } from './events.module.js';
export { EventsSettings } from './events.settings.js';
export { EventHistory } from './log/event-history.js';
export type { ToldEvents } from './log/event-log.store.js';
export { EventTexts, SHORT_MARK, type EventTextSource, type RestoredLines, type ShortLine } from './log/event-texts.js';
