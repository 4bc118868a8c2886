import { describe, it } from '@jest/globals';
import { describeDialectContract, recordedSpans } from '@spandrel/plugin-api/testing';
import { BY_HAND } from './fixtures/by-hand.js';
import openinference from './index.js';

const RECORDED = recordedSpans(new URL('./fixtures/openinference.json', import.meta.url));

describeDialectContract({ plugin: openinference, spans: [...BY_HAND, ...RECORDED] }, { describe, it });
