import { describe, it } from '@jest/globals';
import { describeDialectContract } from '@spandrel/plugin-api/testing';
import { BY_HAND } from './fixtures/by-hand.js';
import typedSpans from './index.js';

describeDialectContract({ plugin: typedSpans, spans: BY_HAND }, { describe, it });
