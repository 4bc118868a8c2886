import { describe, it } from '@jest/globals';
import { describeMaskerContract } from '@spandrel/plugin-api/testing';
import secret from './index.js';

/** Written in two parts, so that no scanner of repositories takes them for keys. */
const key = (begins: string, rest: string): string => begins + rest;
const B62 = 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0u1V2w3X4y5';

const KEYS = [
  key('sk-', `${B62.slice(0, 48)}`),
  key('sk-proj-', `${B62}_${B62}-x`),
  key('sk-ant-api03-', `${B62}-${B62.slice(0, 40)}AA`),
  key('spn_sk_', B62.slice(0, 49)),
  key('AKIA', 'IOSFODNN7EXAMPLE'),
  key('ghp_', B62.slice(0, 36)),
  key('github_pat_', `${B62.slice(0, 22)}_${B62}`),
  key('xoxb-', '123456789012-1234567890123-AbCdEfGhIjKlMnOpQrStUvWx'),
  key('AIza', `${B62.slice(0, 34)}x`),
  key('sk_live_', B62.slice(0, 24)),
  key('npm_', B62.slice(0, 36)),
  key('hf_', B62.slice(0, 34)),
  key('SG.', `${B62.slice(0, 22)}.${B62.slice(0, 43)}`),
  key('eyJ', 'hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U'),
];
const PEM = `${key('-----BEGIN RSA ', 'PRIVATE KEY-----')}\nMIIEpAIBAAKCAQEA\nabc=\n${key('-----END RSA ', 'PRIVATE KEY-----')}`;

describeMaskerContract(
  {
    plugin: secret,
    texts: [
      ...KEYS.map((value) => ({ text: `key=${value}, or "${value}"`, values: [value, value] })),
      { text: `${PEM}\nand more`, values: [PEM] },
      {
        text: `{"aws_secret_access_key": "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"}`,
        values: ['wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY'],
      },
      { text: 'Authorization: Bearer abc.DEF-123_456~789+0/xyz==', values: ['abc.DEF-123_456~789+0/xyz=='] },
      { text: 'postgres://app:s3cr3t!@db.example:5432/app', values: ['s3cr3t!'] },
      { text: 'task-force-of-the-north-sk-learn, sk-learn-pipeline-step', values: [] },
      { text: '0193af2e-7c11-7a4b-9d3e-1f2a3b4c5d6e, MAX_CONNECTIONS_PER_HOST, the_long_snake_case_name', values: [] },
      { text: 'AKIA is a prefix, ghp_ too; eyJ alone; https://user@example.com/a:b', values: [] },
    ],
  },
  { describe, it },
);
