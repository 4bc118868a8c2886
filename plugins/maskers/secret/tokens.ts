import type { Found } from '@spandrel/plugin-api';

/** The shortest run of letters, digits, `-` and `_` that every token has. */
export const TOKEN_LENGTH_MIN = 16;

/** What a token goes on with behind its beginning. */
export type Body = 'alphanumeric' | 'word' | 'upper' | 'hex';

export interface TokenForm {
  readonly body: Body;
  /** Characters of the body at least. */
  readonly min: number;
  /** Whether it has no more than these. */
  readonly exact?: boolean;
  /** Whether there is a digit in it, as in every random text of such a length: names with dashes have none. */
  readonly digit?: boolean;
  /** So many letters and digits of it stand together. */
  readonly solid?: number;
}

const alphanumeric = (min: number, more: Partial<TokenForm> = {}): TokenForm => ({
  body: 'alphanumeric',
  min,
  ...more,
});
const word = (min: number, more: Partial<TokenForm> = {}): TokenForm => ({ body: 'word', min, ...more });
const hex = (min: number, more: Partial<TokenForm> = {}): TokenForm => ({ body: 'hex', min, ...more });
const AWS: TokenForm = { body: 'upper', min: 16, exact: true };

const each = (begins: readonly string[], form: TokenForm): [string, TokenForm][] =>
  begins.map((beginning) => [beginning, form]);

/** Tokens by how they begin, within a run of letters, digits, `-` and `_`; a longer beginning counts before a shorter one. */
const FORMS: ReadonlyMap<string, TokenForm> = new Map([
  // Spandrel
  ...each(['spn_sk_'], alphanumeric(30)),
  // OpenAI, Anthropic, OpenRouter, Langfuse and those that write theirs alike
  ...each(['sk-proj-', 'sk-ant-', 'sk-svcacct-', 'sk-admin-', 'sk-or-', 'sk-lf-'], word(16, { digit: true })),
  ...each(['sk-'], word(20, { digit: true, solid: 16 })),
  // AWS
  ...each(['AKIA', 'ASIA', 'ABIA', 'ACCA'], AWS),
  // GitHub, GitLab
  ...each(['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'], alphanumeric(30)),
  ...each(['github_pat_'], word(22)),
  ...each(
    ['glpat-', 'gldt-', 'glrt-', 'glptt-', 'glcbt-', 'glft-', 'glimt-', 'glagent-', 'glsoat-', 'gloas-', 'glffct-'],
    word(20),
  ),
  // Slack
  ...each(['xoxa-', 'xoxb-', 'xoxe-', 'xoxo-', 'xoxp-', 'xoxr-', 'xoxs-'], word(10, { digit: true })),
  ...each(['xapp-'], word(30, { digit: true })),
  // Google
  ...each(['AIza'], word(30)),
  ...each(['GOCSPX-'], word(20)),
  // Stripe, and those that write theirs alike
  ...each(['sk_live_', 'sk_test_', 'rk_live_', 'rk_test_', 'whsec_', 'sk_', 'rk_'], alphanumeric(20, { digit: true })),
  // Models: Hugging Face, Groq, xAI, Perplexity, Replicate, NVIDIA, Tavily, LangSmith, Databricks
  ...each(['hf_'], alphanumeric(30)),
  ...each(['gsk_'], alphanumeric(40)),
  ...each(['xai-', 'pplx-'], alphanumeric(32, { digit: true })),
  ...each(['r8_'], alphanumeric(30, { digit: true })),
  ...each(['nvapi-'], word(40)),
  ...each(['tvly-'], word(20, { digit: true })),
  ...each(['lsv2_pt_', 'lsv2_sk_'], word(32, { digit: true })),
  ...each(['dapi'], hex(32)),
  // Packages: npm, PyPI, RubyGems, Docker
  ...each(['npm_'], alphanumeric(36)),
  ...each(['pypi-'], word(50)),
  ...each(['rubygems_'], hex(48)),
  ...each(['dckr_pat_'], word(24)),
  // DigitalOcean, Shopify, Vercel, Supabase, Linear, Notion, Figma, Grafana, Sentry, Postman, Atlassian, Mailgun, Twilio
  ...each(['dop_v1_', 'doo_v1_', 'dor_v1_'], hex(40)),
  ...each(['shpat_', 'shpca_', 'shppa_', 'shpss_'], hex(32)),
  ...each(['vcp_', 'vck_', 'vci_', 'vca_', 'vcr_'], alphanumeric(24, { digit: true })),
  ...each(['sbp_'], hex(40)),
  ...each(['lin_api_', 'lin_oauth_'], alphanumeric(32)),
  ...each(['ntn_', 'secret_'], alphanumeric(40, { digit: true })),
  ...each(['figd_'], word(40)),
  ...each(['glsa_'], word(32, { digit: true })),
  ...each(['glc_'], alphanumeric(40)),
  ...each(['sntrys_', 'sntryu_'], word(40)),
  ...each(['PMAK-'], word(50)),
  ...each(['ATATT3'], word(60)),
  ...each(['key-', 'SK', 'AC'], hex(32, { exact: true, digit: true })),
]);

/** Finds where a token may begin, in a run. */
const TOKEN_START = new RegExp(
  `(?<![0-9A-Za-z])(?:${[...FORMS.keys()].toSorted((a, b) => b.length - a.length).join('|')})`,
  'g',
);

const formOf = (beginning: string): TokenForm => FORMS.get(beginning)!;

/** What is in every token; words with dashes and ids in small letters have none of it. */
export const MAY_BE_TOKEN = /[_A-Z]|sk-|xox|xapp-|gl[a-z]|dapi|pypi-|xai-|pplx-|key-|nvapi-|tvly-/;

/**
 * Where a JWT may begin: its header is the base64url of `{"`. Lengths are looked ahead for, here and below: a repetition `{8,}`
 * keeps its way on a stack, which millions of characters overflow.
 */
export const JWT = /(?<![\w-])eyJ(?=[\w-]{8})[\w-]+\.eyJ(?=[\w-]{4})[\w-]+(?:\.[\w-]*)?/y;

/** A token of a bot of Discord: its id in base64, a time and a signature. */
export const DISCORD = /(?<![\w.-])[MNO][\w-]{22,27}\.[\w-]{6}\.[\w-]{27,40}(?![\w-])/y;

/** A token of a bot of Telegram: its id, and 35 characters that begin with the same letters. */
export const TELEGRAM = /(?<![\w.-])\d{8,10}:AA[\w-]{33}(?![\w-])/y;
/** Characters of it before the run that it ends with, at most. */
export const TELEGRAM_ID_MAX = 11;

/**
 * Tokens whose beginning is no part of the run behind it: SendGrid, Google (access and refresh), Vault, Doppler, clients of Azure.
 * Each with the characters that stand before the run.
 */
export const BEFORE_RUN: readonly { readonly begins: string; readonly pattern: RegExp; readonly before: number }[] = [
  { begins: 'SG.', before: 3, pattern: /(?<!\w)SG\.(?=[\w-]{16})[\w-]+\.(?=[\w-]{16})[\w-]+/y },
  { begins: 'ya29.', before: 5, pattern: /(?<!\w)ya29\.(?=[\w-]{20})[\w-]+/y },
  { begins: '1//0', before: 3, pattern: /(?<![\w/])1\/\/0(?=[\w-]{30})[\w-]+/y },
  { begins: 'hvs.', before: 4, pattern: /(?<!\w)hvs\.(?=[\w-]{24})[\w-]+/y },
  { begins: 'dp.pt.', before: 6, pattern: /(?<!\w)dp\.pt\.(?=[\w-]{40})[\w-]+/y },
  { begins: '8Q~', before: 3, pattern: /8Q~[\w.~-]{31,34}/y },
];
/** Characters of an Azure secret before `8Q~`. */
export const AZURE_BEFORE = 3;

/** Which of the first 128 characters may be in a body. */
const tableOf = (pattern: RegExp): Uint8Array =>
  Uint8Array.from({ length: 128 }, (_, code) => (pattern.test(String.fromCharCode(code)) ? 1 : 0));
const TABLES: Readonly<Record<Body | 'digit', Uint8Array>> = {
  word: tableOf(/[\w-]/),
  alphanumeric: tableOf(/[0-9A-Za-z]/),
  upper: tableOf(/[0-9A-Z]/),
  hex: tableOf(/[0-9a-fA-F]/),
  digit: tableOf(/\d/),
};

/** A stretch that was looked at: nothing in it is looked at again, however many tokens may begin in it. */
interface Stretch {
  from: number;
  end: number;
}

/** A run of letters, digits, `-` and `_`, and the tokens in it. Each character is read once for each kind of body. */
export class TokenRun {
  private readonly stretches = new Map<Body, Stretch>();
  private readonly digits: Stretch = { from: 0, end: -1 };
  private readonly solids = new Map<number, Stretch>();

  constructor(private readonly run: string) {}

  /** The tokens. @param start where the run begins in its text. */
  tokens(start: number): Found[] {
    const found: Found[] = [];
    TOKEN_START.lastIndex = 0;
    for (let match = TOKEN_START.exec(this.run); match; match = TOKEN_START.exec(this.run)) {
      const [beginning] = match;
      const end = this.endOf(match.index + beginning.length, formOf(beginning));
      if (end === undefined) {
        TOKEN_START.lastIndex = match.index + 1;
      } else {
        found.push({ start: start + match.index, end: start + end });
        TOKEN_START.lastIndex = end;
      }
    }
    return found;
  }

  private endOf(body: number, { body: kind, min, exact, digit, solid }: TokenForm): number | undefined {
    const end = this.pastBody(body, kind);
    if (end - body < min || (exact && end - body > min)) return undefined;
    if (exact && TABLES.alphanumeric[this.run.charCodeAt(end)] === 1) return undefined;
    if (digit && this.nextDigit(body) >= end) return undefined;
    if (solid !== undefined && this.nextSolid(body, solid) + solid > end) return undefined;
    return end;
  }

  private pastBody(at: number, kind: Body): number {
    const known = this.stretches.get(kind);
    if (known && at >= known.from && at < known.end) return known.end;
    const table = TABLES[kind];
    let end = at;
    while (end < this.run.length && table[this.run.charCodeAt(end)] === 1) end++;
    this.stretches.set(kind, { from: at, end });
    return end;
  }

  private nextDigit(at: number): number {
    if (at >= this.digits.from && at <= this.digits.end) return this.digits.end;
    let end = at;
    while (end < this.run.length && TABLES.digit[this.run.charCodeAt(end)] !== 1) end++;
    this.digits.from = at;
    this.digits.end = end;
    return end;
  }

  /** Where the next so many letters and digits begin that stand together, the end of the run when there are none. */
  private nextSolid(at: number, count: number): number {
    const known = this.solids.get(count);
    if (known && at >= known.from && at <= known.end) return known.end;
    let begins = at;
    let end = at;
    for (; end < this.run.length && end - begins < count; end++) {
      if (TABLES.alphanumeric[this.run.charCodeAt(end)] !== 1) begins = end + 1;
    }
    const place = end - begins < count ? this.run.length : begins;
    this.solids.set(count, { from: at, end: place });
    return place;
  }
}
