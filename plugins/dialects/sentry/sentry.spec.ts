import { describe, it } from '@jest/globals';
import { describeDialectContract } from '@spandrel/plugin-api/testing';
import { BY_HAND } from './fixtures/by-hand.js';
import sentry from './index.js';

describeDialectContract({ plugin: sentry, spans: BY_HAND }, { describe, it });
