import { describe, expect, it } from '@jest/globals';
import { networkFailure } from './network-failure.js';

describe('a call that got no answer', () => {
  it.each([
    ['ECONNREFUSED', 'http://model.test:8000', 'refused the connection: is the server running, and is this its port?'],
    ['ECONNREFUSED', 'http://localhost:11434', 'its port? In a container this address is the container itself.'],
    ['ECONNREFUSED', 'http://[::1]:11434', 'its port? In a container this address is the container itself.'],
    [
      'ENOTFOUND',
      'https://modle.test',
      'the host name of https://modle.test is not known: check base_url for a typing',
    ],
    ['UND_ERR_SOCKET', 'http://model.test', 'if it speaks TLS, base_url has to begin with https://'],
    ['UND_ERR_CONNECT_TIMEOUT', 'http://model.test', 'did not take the connection in time: check host and port'],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'https://model.test', 'is not trusted here: NODE_EXTRA_CA_CERTS can name'],
    [
      'ERR_SSL_WRONG_VERSION_NUMBER',
      'https://model.test',
      'does not speak TLS: does base_url have to begin with http://',
    ],
    ['EWEIRD', 'https://model.test', 'the call of https://model.test failed (EWEIRD)'],
    ['', 'https://model.test', 'the call of https://model.test failed'],
  ])('says what to try after %s of %s', (code, server, part) => {
    expect(networkFailure(code, server)).toContain(part);
    expect(networkFailure(code, server)).toContain(server);
  });

  it('asks for no TLS where TLS is spoken already', () => {
    expect(networkFailure('ECONNRESET', 'https://model.test')).toBe(
      'https://model.test cut the connection before it had answered: its log may say why',
    );
  });
});
