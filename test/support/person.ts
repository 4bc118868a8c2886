import { SignInPerson } from '../../libs/access/src/people/sign-in-person.ts';
import type { Identity } from '../../libs/access/src/oidc/identity-provider.ts';
import type { CloudApp } from './cloud-app.ts';

/** Somebody with an address, as an identity provider says. */
export const identityOf = (email: string, groups: readonly string[] = []): Identity => ({
  ...{ issuer: 'https://id.example', subject: email, name: email.split('@')[0]!, email, groups },
});

/** Headers of the browser of somebody whom an identity provider confirmed: the way there is not gone. */
export async function signInAs(app: CloudApp, email: string): Promise<Record<string, string>> {
  const tokens = { refreshToken: null, accessToken: 'none', idToken: null };
  const signedIn = await app.app.get(SignInPerson).execute({ identity: identityOf(email), tokens }, null);
  if (!signedIn) throw new Error(`${email} has no role`);
  return { cookie: `__Host-spandrel=${signedIn.token}`, 'sec-fetch-site': 'same-origin' };
}
