import { Module } from '@nestjs/common';
import { DomainEvents } from './domain-events.js';

/** The events of all features. */
@Module({ providers: [DomainEvents], exports: [DomainEvents] })
export class EventsModule {}
