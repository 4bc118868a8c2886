import { AsyncLocalStorage } from 'node:async_hooks';
import { Inject, Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { ReadStore } from '@spandrel/plugin-api';
import type { FastifyReply } from 'fastify';
import { tap, type Observable } from 'rxjs';
import { READ_STORE } from './configured-store.js';
import type { Answered } from './read-store-metrics.js';

/** Header of answers that the database gave alone although there is a read store. */
const HEADER = 'X-Spandrel-Read-Store';

const answers = new AsyncLocalStorage<{ by?: Answered }>();

/** Notes who answers the request that is under way. */
export function noteAnswered(by: Answered): void {
  const answer = answers.getStore();
  if (answer) answer.by = by;
}

/** Says in a header of an answer when the read store was behind or off. */
@Injectable()
export class AnswerHeader implements NestInterceptor {
  constructor(@Inject(READ_STORE) private readonly store: ReadStore | null) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    if (!this.store) return next.handle();
    const answer: { by?: Answered } = {};
    // What is handled runs in the context in which it was asked for.
    return answers
      .run(answer, () => next.handle())
      .pipe(
        tap(() => {
          if (answer.by === undefined || answer.by === 'store') return;
          void context.switchToHttp().getResponse<FastifyReply>().header(HEADER, answer.by);
        }),
      );
  }
}
