import { describe, it } from '@jest/globals';
import { describeDialectContract, recordedSpans } from '@spandrel/plugin-api/testing';
import { BY_HAND } from './fixtures/by-hand.js';
import genAi from './index.js';

const RECORDED = ['opentelemetry', 'traceloop', 'ai-sdk-7'].flatMap((sender) =>
  recordedSpans(new URL(`./fixtures/${sender}.json`, import.meta.url)),
);

describeDialectContract({ plugin: genAi, spans: [...BY_HAND, ...RECORDED] }, { describe, it });
