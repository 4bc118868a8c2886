import { describe, it } from '@jest/globals';
import { describeDialectContract } from '@spandrel/plugin-api/testing';
import { BY_HAND } from './fixtures/by-hand.js';
import livekit from './index.js';

describeDialectContract({ plugin: livekit, spans: BY_HAND }, { describe, it });
