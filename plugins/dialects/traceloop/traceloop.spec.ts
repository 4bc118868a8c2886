import { describe, it } from '@jest/globals';
import { describeDialectContract, recordedSpans } from '@spandrel/plugin-api/testing';
import { BY_HAND } from './fixtures/by-hand.js';
import traceloop from './index.js';

const RECORDED = recordedSpans(new URL('./fixtures/traceloop-sdk-0.22.json', import.meta.url));

describeDialectContract({ plugin: traceloop, spans: [...BY_HAND, ...RECORDED] }, { describe, it });
