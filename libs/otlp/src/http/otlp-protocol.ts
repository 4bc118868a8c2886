import type { ThirdPartyProtocol } from '@spandrel/http';
import { exporterCredential } from './credential-of.js';
import { encodingOf, MEDIA_TYPES } from './otlp-media.js';
import { writeRpcStatus } from './rpc-status.js';

/** OTLP over HTTP, as its exporters speak it (docs/spec/otlp.md#requests-and-answers). */
export const OTLP: ThirdPartyProtocol = {
  credentialOf: exporterCredential,
  credentialWays: ['bearer', 'basic', 'key', 'api_key_header'],
  writeError: (error, contentType) => writeRpcStatus(error, encodingOf(contentType) ?? 'json'),
  errorAnswer: {
    mediaTypes: Object.values(MEDIA_TYPES),
    description: '`google.rpc.Status` in the encoding of the request; JSON where that is not known.',
  },
};
