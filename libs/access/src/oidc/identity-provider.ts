import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable } from '@nestjs/common';
import { StartError, Unavailable } from '@spandrel/kernel';
import * as oidc from 'openid-client';
import { ResponseBodyError, WWWAuthenticateChallengeError } from 'openid-client';
import type { JWTPayload } from 'jose';
import { isStorableText, KEY_LENGTH_MAX } from '@spandrel/contract';
import { AccessSettings } from '../access.settings.js';
import { boundedFetch } from '../credentials/bounded-fetch.js';
import { claimAt, namesIn } from '../credentials/jwt.settings.js';
import { OidcSettings } from './oidc.settings.js';
import type { ProviderTokens } from './sealed-tokens.js';
import type { SignInAttempt } from './sign-in-attempt.js';

const ANSWER_SECONDS_MAX = 8;

/** How long it may take to have a person confirmed: description, tokens, keys and userinfo are four requests. */
export const CONFIRMING_MS_MAX = 4 * ANSWER_SECONDS_MAX * 1_000;

export interface Confirmed {
  identity: Identity;
  tokens: ProviderTokens;
}

/** A refresh token was exchanged and what came after failed: the token before it is worth nothing from then on. */
export interface Exchanged {
  problem: Unavailable;
  tokens: ProviderTokens;
}

const exchanges = new AsyncLocalStorage<{ refreshToken: string | null }>();

/** Who the identity provider says that people are (OpenID Connect: authorization code with PKCE). */
@Injectable()
export class IdentityProvider {
  private configuration: Promise<oidc.Configuration> | undefined;

  /** @throws StartError naming the settings that are missing beside the issuer. */
  constructor(
    private readonly settings: OidcSettings,
    private readonly access: AccessSettings,
  ) {
    if (!this.isSet) return;
    const faults = [
      ...(settings.clientId === null ? ['auth.oidc.client_id: auth.oidc.issuer needs it'] : []),
      ...(access.dashboardOrigin === null
        ? ['dashboard.origin: auth.oidc.issuer needs it, the address that browsers are sent back to']
        : []),
    ];
    if (faults.length > 0) throw new StartError(faults);
  }

  get isSet(): boolean {
    return this.settings.issuer !== null;
  }

  /** Where a browser is sent to sign in. @throws Unavailable when the provider does not answer. */
  async addressFor({ state, nonce, verifier }: SignInAttempt): Promise<string> {
    const configuration = await this.configured();
    const url = oidc.buildAuthorizationUrl(configuration, {
      redirect_uri: this.callback,
      scope: this.settings.scopes,
      ...{ state, nonce, code_challenge_method: 'S256' },
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      ...(this.settings.prompt !== null && { prompt: this.settings.prompt }),
    });
    return url.href;
  }

  /**
   * Who came back, by an ID token that the provider signed. @param search query of the address that it sent the browser to.
   * @throws Unavailable, or another Error when the answer is not one to this attempt.
   */
  async confirmed(search: string, { state, nonce, verifier }: SignInAttempt): Promise<Confirmed> {
    const configuration = await this.configured();
    const answer = await oidc.authorizationCodeGrant(configuration, new URL(this.callback + search), {
      ...{ expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier },
      idTokenExpected: true,
    });
    const { sub, iat } = answer.claims()!;
    if (iat * 1_000 > Date.now() + CLOCKS_DIFFER_MS) {
      throw new Error('the ID token is of the future: the clock of the identity provider, or the one here, is wrong');
    }
    return this.read(configuration, answer, sub, null);
  }

  /**
   * Asks the provider about a person again, with the refresh token, else with the access token for as long as that lasts.
   * @returns `refused`, `tokens_ended` where there is nothing left to ask with, {@link Exchanged} where the tokens are new ones.
   * @throws Unavailable when it does not answer.
   */
  async confirmAgain(
    subject: string,
    tokens: ProviderTokens,
  ): Promise<Confirmed | Exchanged | 'refused' | 'tokens_ended'> {
    const configuration = await this.configured();
    const { refreshToken } = tokens;
    const exchange = { refreshToken };
    try {
      if (refreshToken !== null) {
        const answer = await exchanges.run(exchange, () => oidc.refreshTokenGrant(configuration, refreshToken));
        return await this.read(configuration, answer, subject, tokens);
      }
      const claims = await oidc.fetchUserInfo(configuration, tokens.accessToken, subject);
      return { identity: this.identity(subject, claims), tokens };
    } catch (error) {
      // An access token that has ended says nothing of the person.
      if (isRefusal(error)) return refreshToken === null && hasEnded(tokens) ? 'tokens_ended' : 'refused';
      const problem = new Unavailable(NO_ANSWER, { cause: error });
      if (exchange.refreshToken === refreshToken) throw problem;
      return { problem, tokens: { ...tokens, ...exchange } };
    }
  }

  /** Where a browser is led to sign out there, too; `null` where nobody wants that, or the provider has no such page. */
  async signOutAddress(idToken: string | null): Promise<string | null> {
    if (!this.settings.signOutThere) return null;
    const configuration = await this.configured();
    if (configuration.serverMetadata().end_session_endpoint === undefined) return null;
    return oidc.buildEndSessionUrl(configuration, {
      post_logout_redirect_uri: `${this.access.dashboardOrigin}/sign-in`,
      ...(idToken !== null && { id_token_hint: idToken }),
    }).href;
  }

  private get callback(): string {
    return `${this.access.dashboardOrigin}/api/session/oidc/callback`;
  }

  /** What tokens say of a person; what the ID token does not, the userinfo endpoint may. */
  private async read(
    configuration: oidc.Configuration,
    answer: oidc.TokenEndpointResponse & oidc.TokenEndpointResponseHelpers,
    subject: string,
    before: ProviderTokens | null,
  ): Promise<Confirmed> {
    const ofToken = answer.claims();
    if (ofToken && ofToken.sub !== subject) throw new OtherPerson();
    const isWhole = ofToken && claimAt(ofToken, this.settings.groupsClaim) !== undefined && ofToken.email !== undefined;
    const hasMore = configuration.serverMetadata().userinfo_endpoint !== undefined;
    const more = isWhole || !hasMore ? {} : await oidc.fetchUserInfo(configuration, answer.access_token, subject);
    const tokens: ProviderTokens = {
      refreshToken: answer.refresh_token ?? before?.refreshToken ?? null,
      accessToken: answer.access_token,
      accessEndsAt: answer.expires_in === undefined ? null : Date.now() + answer.expires_in * 1_000,
      idToken: this.settings.signOutThere ? (answer.id_token ?? before?.idToken ?? null) : null,
    };
    return { identity: this.identity(subject, { ...more, ...ofToken }), tokens };
  }

  private identity(subject: string, claims: Record<string, unknown>): Identity {
    return identityOf(this.settings.issuer!, subject, claims, this.settings);
  }

  /** The provider's own description, fetched once; when that fails, the next one tries again. */
  private async configured(): Promise<oidc.Configuration> {
    this.configuration ??= this.discover();
    try {
      return await this.configuration;
    } catch (error) {
      this.configuration = undefined;
      throw new Unavailable(NO_ANSWER, { cause: error });
    }
  }

  private discover(): Promise<oidc.Configuration> {
    const { issuer, clientId, clientSecret } = this.settings;
    const url = new URL(issuer!);
    return oidc.discovery(
      url,
      clientId!,
      clientSecret ?? undefined,
      clientSecret === null ? oidc.None() : oidc.ClientSecretBasic(clientSecret),
      {
        timeout: ANSWER_SECONDS_MAX,
        [oidc.customFetch]: (address, init) => fetchNotingTokens(address, init as RequestInit),
        // The settings let plain http through for this machine alone.
        execute: [oidc.enableNonRepudiationChecks, ...(url.protocol === 'http:' ? [oidc.allowInsecureRequests] : [])],
      },
    );
  }
}

/** {@link boundedFetch}; the refresh token of an answer is noted before anything of it is checked. */
async function fetchNotingTokens(address: string, init: RequestInit): Promise<Response> {
  const answer = await boundedFetch(address, init);
  const exchange = exchanges.getStore();
  if (exchange && init.method === 'POST' && answer.ok) {
    const body = (await answer.clone().json()) as { refresh_token?: unknown } | null;
    if (typeof body?.refresh_token === 'string') exchange.refreshToken = body.refresh_token;
  }
  return answer;
}

/** How much sooner than the provider said an access token may end, by clocks that differ. */
const LEEWAY_MS = 10_000;

/** How far ahead the provider's clock may be, as openid-client takes it for `exp` and `nbf`. */
const CLOCKS_DIFFER_MS = 30_000;

const hasEnded = ({ accessEndsAt }: ProviderTokens): boolean =>
  accessEndsAt == null || accessEndsAt - LEEWAY_MS <= Date.now();

const NO_ANSWER = 'the identity provider did not answer; try again soon';

/** The provider confirmed somebody else than it was asked about. */
export class OtherPerson extends Error {}

/** Whether the provider answered and does not confirm the person; 429 says nothing of them. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof OtherPerson ||
  (error instanceof ResponseBodyError &&
    error.status < 500 &&
    error.status !== 429 &&
    error.error !== 'temporarily_unavailable') ||
  (error instanceof WWWAuthenticateChallengeError && error.status === 401);

export interface Identity {
  issuer: string;
  /** What the provider calls the person for ever. */
  subject: string;
  name: string | null;
  /** In small letters; `null` where there is none that counts. */
  email: string | null;
  groups: readonly string[];
}

/** Reads what an identity provider says of a person. @param claims those of the ID token, over those of userinfo. */
export function identityOf(
  issuer: string,
  subject: string,
  claims: JWTPayload,
  { groupsClaim, trustEmail }: Pick<OidcSettings, 'groupsClaim' | 'trustEmail'>,
): Identity {
  const { email } = claims;
  return {
    issuer,
    subject,
    name: text(claims['name']) ?? text(claims['preferred_username']),
    email: countsAddress(claims, trustEmail) ? (text(email)?.toLowerCase() ?? null) : null,
    groups: namesIn(claimAt(claims, groupsClaim)),
  };
}

/** Whether the address is the person's (docs/spec/sign-in.md#addresses-of-persons). `xms_edov` is `email_verified` of Entra ID. */
function countsAddress({ email_verified: isVerified, xms_edov: isOfDomain }: JWTPayload, trustEmail: boolean): boolean {
  const said = [isVerified, isOfDomain].filter((claim) => claim !== undefined && claim !== null);
  return said.length === 0 ? trustEmail : said.every((claim) => YES.has(claim));
}

/** Providers write booleans as texts and numbers, too. */
const YES: ReadonlySet<unknown> = new Set([true, 'true', 1, '1']);

const text = (claim: unknown): string | null =>
  typeof claim === 'string' && claim.trim() !== '' && claim.length <= KEY_LENGTH_MAX && isStorableText(claim)
    ? claim.trim()
    : null;
