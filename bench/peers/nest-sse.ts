/** Nest's own `@Sse`: as many events as a POST asks for, to all clients. No decorator syntax: Node runs this file as it is. */
import 'reflect-metadata';
import { Controller, Module, Post, Query, Sse } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Subject } from 'rxjs';

interface ServerEvent {
  id: string;
  type: string;
  data: string;
}

const events = new Subject<ServerEvent>();
let seq = 0;

class Events {
  listen(): Subject<ServerEvent> {
    return events;
  }

  emit(count: string, data: string): { emitted: number } {
    for (let n = 0; n < Number(count); n++) events.next({ id: String(++seq), type: 'message', data });
    return { emitted: seq };
  }
}

const method = (name: 'listen' | 'emit') => Object.getOwnPropertyDescriptor(Events.prototype, name)!;
Sse('api/events')(Events.prototype, 'listen', method('listen'));
Post('emit')(Events.prototype, 'emit', method('emit'));
Query('count')(Events.prototype, 'emit', 0);
Query('data')(Events.prototype, 'emit', 1);
Controller()(Events);

class App {}
Module({ controllers: [Events] })(App);

const app = await NestFactory.create<NestFastifyApplication>(App, new FastifyAdapter(), { logger: false });
await app.listen(Number(process.argv[2]), '127.0.0.1');
