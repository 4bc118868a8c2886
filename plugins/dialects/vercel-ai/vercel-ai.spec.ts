import { describe, it } from '@jest/globals';
import { describeDialectContract, recordedSpans } from '@spandrel/plugin-api/testing';
import { BY_HAND } from './fixtures/by-hand.js';
import vercelAi from './index.js';

const RECORDED = ['ai-sdk-6', 'ai-sdk-7-legacy'].flatMap((sender) =>
  recordedSpans(new URL(`./fixtures/${sender}.json`, import.meta.url)),
);

describeDialectContract({ plugin: vercelAi, spans: [...BY_HAND, ...RECORDED] }, { describe, it });
