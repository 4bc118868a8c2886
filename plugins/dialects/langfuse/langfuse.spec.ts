import { describe, it } from '@jest/globals';
import { describeDialectContract, recordedSpans } from '@spandrel/plugin-api/testing';
import { BY_HAND } from './fixtures/by-hand.js';
import langfuse from './index.js';

const RECORDED = recordedSpans(new URL('./fixtures/langfuse.json', import.meta.url));

describeDialectContract({ plugin: langfuse, spans: [...BY_HAND, ...RECORDED] }, { describe, it });
