import { describe, it } from '@jest/globals';
import { describeDialectContract, recordedSpans } from '@spandrel/plugin-api/testing';
import { BY_HAND } from './fixtures/by-hand.js';
import claudeCode from './index.js';

const RECORDED = recordedSpans(new URL('./fixtures/claude-code.json', import.meta.url));

describeDialectContract({ plugin: claudeCode, spans: [...BY_HAND, ...RECORDED] }, { describe, it });
