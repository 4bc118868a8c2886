import { describe, it } from '@jest/globals';
import { describeDialectContract, recordedSpans } from '@spandrel/plugin-api/testing';
import { BY_HAND } from './fixtures/by-hand.js';
import langsmith from './index.js';

const RECORDED = recordedSpans(new URL('./fixtures/langsmith.json', import.meta.url));

describeDialectContract({ plugin: langsmith, spans: [...BY_HAND, ...RECORDED] }, { describe, it });
