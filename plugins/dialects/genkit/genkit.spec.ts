import { describe, it } from '@jest/globals';
import { describeDialectContract, recordedSpans } from '@spandrel/plugin-api/testing';
import { BY_HAND } from './fixtures/by-hand.js';
import genkit from './index.js';

const RECORDED = recordedSpans(new URL('./fixtures/genkit.json', import.meta.url));

describeDialectContract({ plugin: genkit, spans: [...BY_HAND, ...RECORDED] }, { describe, it });
