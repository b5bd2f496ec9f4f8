import type { Secrets } from '../config.ts';
import { ConfigError, closest } from './errors.ts';
import { settings } from './settings.ts';

/** Keys have no flag, because process lists show flags. */
export const keysVariable = 'PETSTORE_API_KEYS';

/** The database has no flag for the same reason. Other programs use the same name. */
export const databaseVariable = 'DATABASE_URL';

/** The settings that only the environment may contain. */
export function secretsOf(env: NodeJS.ProcessEnv): Secrets {
  return { apiKeys: env[keysVariable], databaseUrl: env[databaseVariable] };
}

const known = [keysVariable, ...Object.values(settings).map(({ variable }) => variable)];

/** Variables of the client and the tests. */
const foreign = /^PETSTORE_(API_KEY$|BASE_URL$|TEST_)/;

/** Variables that Kubernetes and Docker set for services named petstore. */
const discovery = /_SERVICE_(HOST|PORT(_\w+)?)$|_PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?$/;
const discoveryAddress = /^(tcp|udp|sctp):\/\//;

/** Rejects unknown variables that look like settings, because they may be misspelt. */
export function rejectUnknownVariables(env: NodeJS.ProcessEnv): void {
  for (const [name, value = ''] of Object.entries(env)) {
    if (!name.startsWith('PETSTORE_') || known.includes(name) || foreign.test(name)) continue;
    if (discovery.test(name) || discoveryAddress.test(value)) continue;
    const candidate = closest(withoutPrefix(name), known.map(withoutPrefix));
    const suggestion = known.find((variable) => withoutPrefix(variable) === candidate);
    throw new ConfigError(
      `${name} in the environment is not a setting; ${suggestion ? `did you mean ${suggestion}?` : '--help shows all.'}`,
    );
  }
}

const withoutPrefix = (name: string) => name.replace(/^PETSTORE_/, '');
