import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { createParamDecorator, StreamableFile, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from '@spandrel/kernel';
import { problemOf } from './problem.filter.js';

/** What a client accepts that wants to hear how its request goes on. */
export const PROGRESS_MEDIA_TYPE = 'application/x-ndjson';

const EVERY_MS = 250;

interface ProgressedWork {
  work: Promise<object>;
  progress: () => object;
  logger: Logger;
}

/** Answers with lines of progress, the last of which has the status and the body that the answer would have had. */
export type AnswerProgress = (work: ProgressedWork) => StreamableFile;

/** How to answer a client that accepts lines of progress (`Accept: application/x-ndjson`); `undefined` for any other. */
export const ProgressAnswer = createParamDecorator((_data: unknown, context: ExecutionContext) => {
  const http = context.switchToHttp();
  const request = http.getRequest<FastifyRequest>();
  return acceptsProgress(request.headers.accept)
    ? progressAnswer(request, http.getResponse<FastifyReply>())
    : undefined;
});

/** Whether a header `Accept` names the media type of progress, with any parameters but `q=0`. */
export const acceptsProgress = (accept = ''): boolean =>
  accept.split(',').some((range) => {
    const [mediaType, ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    return mediaType === PROGRESS_MEDIA_TYPE && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });

const progressAnswer =
  (request: FastifyRequest, reply: FastifyReply): AnswerProgress =>
  ({ work, progress, logger }) => {
    const success = reply.statusCode;
    const outcome = work.then(
      (body) => ({ status: success, body }),
      (error: unknown) => {
        const body = problemOf(error, request, logger);
        return { status: body.status, body };
      },
    );
    void reply.status(200);
    return new StreamableFile(Readable.from(progressLines(outcome, progress), { objectMode: false }), {
      type: `${PROGRESS_MEDIA_TYPE}; charset=utf-8`,
    });
  };

/** A line at once, one at every interval, and the outcome as the last one. @param outcome never rejects. */
export async function* progressLines(
  outcome: Promise<object>,
  progress: () => object,
  everyMs = EVERY_MS,
): AsyncGenerator<string> {
  for (let done: object | undefined; done === undefined;) {
    yield lineOf(progress());
    const waiting = new AbortController();
    const soon = pause(everyMs, undefined, { signal: waiting.signal }).catch(() => undefined);
    done = await Promise.race([outcome, soon]);
    waiting.abort();
    if (done) yield lineOf(done);
  }
}

const lineOf = (value: object): string => `${JSON.stringify(value)}\n`;
