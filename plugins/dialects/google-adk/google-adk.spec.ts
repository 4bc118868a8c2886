import { describe, it } from '@jest/globals';
import { describeDialectContract, recordedSpans } from '@spandrel/plugin-api/testing';
import { BY_HAND } from './fixtures/by-hand.js';
import googleAdk from './index.js';

const RECORDED = recordedSpans(new URL('./fixtures/google-adk.json', import.meta.url));

describeDialectContract({ plugin: googleAdk, spans: [...BY_HAND, ...RECORDED] }, { describe, it });
