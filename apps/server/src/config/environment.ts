import type { Secrets } from '../config.ts';
import { closest } from './closest.ts';
import { ConfigError } from './config-error.ts';
import { settings } from './settings.ts';

/** Keys come from here alone: a flag would show them to everybody who lists the processes. */
export const keysVariable = 'PETSTORE_API_KEYS';

/** The database comes from here alone, for the same reason. Many other programs call it so, too. */
export const databaseVariable = 'DATABASE_URL';

/** What only the environment may hold. */
export function secretsOf(env: NodeJS.ProcessEnv): Secrets {
  return { apiKeys: env[keysVariable], databaseUrl: env[databaseVariable] };
}

const known = [keysVariable, ...Object.values(settings).map(({ variable }) => variable)];

/** What begins like our variables and is meant for others: the client, and the tests. */
const foreign = /^PETSTORE_(API_KEY$|BASE_URL$|TEST_)/;

/** Kubernetes and Docker tell of a service that is called petstore, or petstore-something, by such variables. */
const announced = /_SERVICE_(HOST|PORT(_\w+)?)$|_PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?$/;
const announcedAddress = /^(tcp|udp|sctp):\/\//;

/** Refuses variables that look like settings and are none: a misspelt one would be ignored without a word. */
export function refuseUnknownVariables(env: NodeJS.ProcessEnv): void {
  for (const [name, value = ''] of Object.entries(env)) {
    if (!name.startsWith('PETSTORE_') || known.includes(name) || foreign.test(name)) continue;
    if (announced.test(name) || announcedAddress.test(value)) continue;
    const meant = closest(withoutPrefix(name), known.map(withoutPrefix));
    const suggestion = known.find((variable) => withoutPrefix(variable) === meant);
    throw new ConfigError(
      `${name} in the environment is not a setting; ${suggestion ? `did you mean ${suggestion}?` : '--help shows all.'}`,
    );
  }
}

const withoutPrefix = (name: string) => name.replace(/^PETSTORE_/, '');
