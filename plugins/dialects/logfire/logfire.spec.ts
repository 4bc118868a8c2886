import { describe, it } from '@jest/globals';
import { describeDialectContract, recordedSpans } from '@spandrel/plugin-api/testing';
import { BY_HAND } from './fixtures/by-hand.js';
import logfire from './index.js';

const RECORDED = recordedSpans(new URL('./fixtures/logfire.json', import.meta.url));

describeDialectContract({ plugin: logfire, spans: [...BY_HAND, ...RECORDED] }, { describe, it });
