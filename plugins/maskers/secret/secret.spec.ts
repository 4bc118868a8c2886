import { describe, expect, it } from '@jest/globals';
import { describeMaskerContract, setUpPlugin } from '@spandrel/plugin-api/testing';
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
  key('sk-svcacct-', `${B62}_${B62}`),
  key('ASIA', 'IOSFODNN7EXAMPLE'),
  key('gho_', B62.slice(0, 36)),
  key('ghs_', B62.slice(0, 36)),
  key('ghr_', B62.slice(0, 36)),
  key('glpat-', 'a1B2c3D4e5F6g7H8i9J0'),
  key('xoxp-', '123456789012-123456789012-123456789012-0123456789abcdef0123456789abcdef'),
  key('xapp-', '1-A0123456789-1234567890123-0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef'),
  key('ya29.', `a0${B62}-${B62}`),
  key('1//0', `${B62}-${B62.slice(0, 30)}`),
  key('GOCSPX-', B62.slice(0, 28)),
  key('rk_live_', B62.slice(0, 24)),
  key('whsec_', B62.slice(0, 32)),
  key('pypi-', `AgEIcHlwaS5vcmc${B62}${B62}`),
  key('gsk_', `${B62}zz`),
  key('xai-', `${B62}${B62.slice(0, 30)}`),
  key('pplx-', B62.slice(0, 48)),
  key('r8_', B62.slice(0, 37)),
  key('nvapi-', `${B62}-${B62.slice(0, 10)}`),
  key('dapi', '0123456789abcdef0123456789abcdef'),
  key('dop_v1_', '0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef'),
  key('shpat_', '0123456789abcdef0123456789abcdef'),
  key('vck_', B62.slice(0, 40)),
  key('lin_api_', B62.slice(0, 40)),
  key('ntn_', B62.slice(0, 46)),
  key('secret_', B62.slice(0, 43)),
  key('SK', '0123456789abcdef0123456789abcdef'),
  key('AC', '0123456789abcdef0123456789abcdef'),
  key('key-', '0123456789abcdef0123456789abcdef'),
  key('hvs.', B62.slice(0, 24)),
  key('abc8Q~', B62.slice(0, 34)),
  key('123456789:AA', B62.slice(0, 33)),
  key('MTIzNDU2Nzg5MDEyMzQ1Njc4', `.Gabcd1.${B62.slice(0, 38)}`),
  key('eyJ', 'hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U'),
];
/** Values that the name before them says are secret. */
const NAMED: [text: string, value: string][] = [
  ['password=hunter2', 'hunter2'],
  ['DB_PASSWORD=letmein', 'letmein'],
  ['{"user":"jane","password":"hunter2","x":1}', 'hunter2'],
  ["password: 'correct-horse'", 'correct-horse'],
  ['Password: Tr0ub4dor&3.', 'Tr0ub4dor&3'],
  ['?user=jane&password=s3cret&page=2', 's3cret'],
  ['Server=db;User Id=sa;Password=Str0ng;Encrypt=true', 'Str0ng'],
  ['<password>hunter2</password>', 'hunter2'],
  ['mysql --user jane --password hunter2 db', 'hunter2'],
  ['passphrase = "a b c 1"', 'a b c 1'],
  ['api_key=abcdefgh', 'abcdefgh'],
  ['apiKey: "0a1b2c3d4e5f"', '0a1b2c3d4e5f'],
  ['API Key: 0a1b2c3d4e5f', '0a1b2c3d4e5f'],
  ['X-API-Key: 0a1b2c3d4e5f', '0a1b2c3d4e5f'],
  ["'api-key' => '0a1b2c3d4e5f'", '0a1b2c3d4e5f'],
  ['apikey := `0a1b2c3d4e5f`', '0a1b2c3d4e5f'],
  ['AccountName=a;AccountKey=0a1b2c3d4e5f+/==;x', '0a1b2c3d4e5f+/=='],
  ['"client_secret": "Ab3~xyz.12345678"', 'Ab3~xyz.12345678'],
  ['"access_token":"0a1b2c3d4e5f6a7b"', '0a1b2c3d4e5f6a7b'],
  ['/hook?token=0a1b2c3d4e5f6a7b8c', '0a1b2c3d4e5f6a7b8c'],
  ['Authorization: Basic dXNlcjpwYXNzd29yZA==', 'dXNlcjpwYXNzd29yZA=='],
  ['{"Authorization":"Basic dXNlcjpwYXNz"}', 'dXNlcjpwYXNz'],
  ['proxy-authorization: basic dXNlcjpwYXNz', 'dXNlcjpwYXNz'],
  ['Authorization: Token 0a1b2c3d4e5f', '0a1b2c3d4e5f'],
];
/** Code and prose that has such names. */
const NOT_NAMED = [
  'password: string; passwordHash: abc12345; password_min_length=8',
  'connect(user=user, password=password, token=token)',
  'password: z.string().min(8), apiKey: process.env.OPENAI_API_KEY',
  'api_key=os.environ["KEY"], API_KEY=$OTHER, api_key=YOUR_API_KEY, api-key: <key>, password=***',
  'if (password === other) return; password != null; const secret = crypto.randomBytes(32)',
  'The password: it must have 8 characters. Enter your password: then go on. Password: required',
  '"token_type": "Bearer", "max_tokens": 4096, token: string, "secret": true, "password": "string"',
  'Authorization: Basic authentication is used; Authorization: required for access',
  'next_token=abcdefgh12345678, keyboard: qwerty12345, monkey=abcdefgh1',
  'the primary key: id_12345678, foreign_key: user_12345678, sort key: created_at_2024',
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
      ...NAMED.map(([text, value]) => ({ text, values: [value] })),
      ...NOT_NAMED.map((text) => ({ text, values: [] })),
      { text: 'task-force-of-the-north-sk-learn, sk-learn-pipeline-step', values: [] },
      { text: '0193af2e-7c11-7a4b-9d3e-1f2a3b4c5d6e, MAX_CONNECTIONS_PER_HOST, the_long_snake_case_name', values: [] },
      { text: 'AKIA is a prefix, ghp_ too; eyJ alone; https://user@example.com/a:b', values: [] },
    ],
  },
  { describe, it },
);

describe('a token of millions of characters', () => {
  it.each(['Bearer ', 'eyJ', 'SG.', 'ya29.', '1//0', 'hvs.', 'dp.pt.', `eyJ${B62}.eyJ`, `SG.${B62}.`])(
    'behind "%s" overflows nothing',
    async (begins) => {
      const { finder } = await setUpPlugin(secret, {});
      const text = begins + 'A'.repeat(9_300_000);
      const isToken = begins !== 'eyJ' && begins !== 'SG.';
      expect(finder({}).find(text)).toMatchObject(isToken ? [{ end: text.length }] : []);
    },
  );
});
