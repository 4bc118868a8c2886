import {
  Catch,
  Controller,
  Delete,
  HttpCode,
  Module,
  Query,
  Sse,
  type ArgumentsHost,
  type DynamicModule,
  type MiddlewareConsumer,
  type Provider,
  type Type,
} from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import { Operation } from '@spandrel/http';
import { defineFeature } from '@spandrel/kernel';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { of } from 'rxjs';
import { z } from 'zod';

/** What was called, in order: `guard of feature`. */
export const calls: string[] = [];

/** Header by which a guard is made to refuse a request (`refuse`), or to throw an error of its own (`fail`). */
export const ASK_GUARD = 'x-ask-guard';

/** One of each that Nest has around a handler, registered for the whole app as its documentation does. */
function witnesses(name: string): { providers: Provider[]; middleware: (...args: never[]) => void } {
  const note = (what: string): void => void calls.push(`${what} of ${name}`);
  class WitnessError extends Error {}
  class Guard {
    canActivate(context: ArgumentsHost): boolean {
      note('guard');
      const asked = context.switchToHttp().getRequest<FastifyRequest>().headers[ASK_GUARD];
      if (asked === `fail ${name}`) throw new WitnessError();
      return asked !== `refuse ${name}`;
    }
  }
  class Interceptor {
    intercept(_context: unknown, next: { handle(): unknown }): unknown {
      note('interceptor');
      return next.handle();
    }
  }
  class Pipe {
    transform(value: unknown): unknown {
      note('pipe');
      return value;
    }
  }
  class Filter {
    catch(_error: unknown, host: ArgumentsHost): void {
      note('filter');
      void host.switchToHttp().getResponse<FastifyReply>().status(418).send({ caught: name });
    }
  }
  Catch(WitnessError)(Filter);
  return {
    providers: [
      { provide: APP_GUARD, useClass: Guard },
      { provide: APP_INTERCEPTOR, useClass: Interceptor },
      { provide: APP_PIPE, useClass: Pipe },
      { provide: APP_FILTER, useClass: Filter },
    ],
    middleware: (_request: never, _response: never, next: () => void) => {
      note('middleware');
      next();
    },
  };
}

/** A module as the author of a package makes them: `WitnessModule.forRoot('package')`. */
class WitnessModule {
  static forRoot(name: string): DynamicModule {
    const { providers, middleware } = witnesses(name);
    class AuthorsModule {
      configure(consumer: MiddlewareConsumer): void {
        consumer.apply(middleware).forRoutes('{*path}');
      }
    }
    Module({})(AuthorsModule);
    return { module: AuthorsModule, providers };
  }
}

const answer = z.unknown();
const querySchema = z.object({ since: z.string().optional() });

/** Kinds of routes that Nest has and this server does not. */
@Controller('api/witness')
class WitnessController {
  @Delete()
  @HttpCode(204)
  @Operation({ id: 'witnessNothing', summary: 'Answers without a body', access: 'open', answer })
  nothing(@Query({ schema: querySchema }) _query: unknown): void {}

  @Sse('events')
  @Operation({ id: 'witnessEvents', summary: 'Events as Nest sends them', access: 'open', answer })
  events(@Query({ schema: querySchema }) _query: unknown) {
    return of({ data: { seen: true } });
  }
}

const own = witnesses('feature');

@Module({
  imports: [WitnessModule.forRoot('package')],
  controllers: [WitnessController],
  providers: own.providers,
})
class WitnessFeatureModule {
  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(own.middleware).forRoutes('{*path}');
  }
}

/** A feature with a module of its own, which imports one of a package. */
export const witnessFeature = defineFeature({
  name: 'witness',
  module: WitnessFeatureModule as Type,
  entities: [],
  requires: [],
});
