import { describe, it } from '@jest/globals';
import { describeDialectContract, recordedSpans } from '@spandrel/plugin-api/testing';
import { BY_HAND } from './fixtures/by-hand.js';
import mastra from './index.js';

const RECORDED = recordedSpans(new URL('./fixtures/mastra.json', import.meta.url));

describeDialectContract({ plugin: mastra, spans: [...BY_HAND, ...RECORDED] }, { describe, it });
