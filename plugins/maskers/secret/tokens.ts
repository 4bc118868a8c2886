/** The shortest run of letters, digits, `-` and `_` that every token has. */
export const TOKEN_LENGTH_MIN = 16;

/** Tokens as their services write them, within a run of letters, digits, `-` and `_`. */
const FORMS: readonly string[] = [
  // Spandrel
  'spn_sk_[0-9A-Za-z]{30,}',
  // OpenAI, Anthropic, OpenRouter and those that write theirs alike
  'sk-(?:proj|ant|svcacct|admin|or)-[\\w-]{16,}',
  'sk-(?=[\\w-]*[0-9A-Za-z]{16})(?=[\\w-]*\\d)[\\w-]{20,}',
  // AWS
  '(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![0-9A-Za-z])',
  // GitHub, GitLab
  'gh[opsur]_[0-9A-Za-z]{30,}',
  'github_pat_\\w{22,}',
  'gl(?:pat|dt|rt|ptt)-[\\w-]{20,}',
  // Slack
  'xox[abeoprs]-[0-9A-Za-z-]{10,}',
  'xapp-\\d-[0-9A-Z]+-\\d+-[0-9a-f]{20,}',
  // Google
  'AIza[\\w-]{30,}',
  'GOCSPX-[\\w-]{20,}',
  // Stripe
  '(?:[rs]k|whsec)_(?:live_|test_)?(?=[0-9A-Za-z]*\\d)[0-9A-Za-z]{20,}',
  // npm, PyPI, Hugging Face, Groq, Databricks, DigitalOcean, Shopify
  'npm_[0-9A-Za-z]{36,}',
  'pypi-[\\w-]{50,}',
  'hf_[0-9A-Za-z]{30,}',
  'gsk_[0-9A-Za-z]{40,}',
  'dapi[0-9a-f]{32}',
  'do[opr]_v1_[0-9a-f]{40,}',
  'shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}',
];

/** What is in every token; words with dashes and ids in small letters have none of it. */
export const MAY_BE_TOKEN = /[_A-Z]|sk-|xox|xapp|gl|dapi|pypi/;

export const TOKEN = new RegExp(`(?<![0-9A-Za-z])(?:${FORMS.join('|')})`, 'g');

/** Where a JWT may begin: its header is the base64url of `{"`. */
export const JWT = /(?<![\w-])eyJ[\w-]{8,}\.eyJ[\w-]{4,}(?:\.[\w-]*)?/y;

/** A key of SendGrid, from its first letters on. */
export const SENDGRID = /SG\.[\w-]{16,}\.[\w-]{16,}/y;
