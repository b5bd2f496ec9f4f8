import { service } from '@petstore/types';

export interface Config {
  host: string;
  port: number;
  /** Where keys and animals are kept. */
  dataDir: string;
  /** Keys from the environment, instead of those kept in `dataDir`. */
  apiKeys: string | undefined;
  /** Check every answer against the spec as well; `npm run dev` does. */
  validateResponses: boolean;
}

/** A setting that cannot be used. The message says which one, and what would be valid. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** The settings from the environment; what is not set follows the deployment that the spec describes. */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const deployment = env.PETSTORE_DEPLOYMENT ?? 'production';
  if (!(deployment in service.deployments)) {
    const known = Object.keys(service.deployments).join(', ');
    throw new ConfigError(`PETSTORE_DEPLOYMENT is '${deployment}'; it can be one of ${known}.`);
  }
  const home = new URL(service.deployments[deployment as keyof typeof service.deployments]);
  const port = env.PORT ?? home.port;
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65535) {
    throw new ConfigError(`PORT is '${port}'; it has to be a number from 0 to 65535.`);
  }
  return {
    host: env.HOST ?? home.hostname,
    port: Number(port),
    dataDir: env.PETSTORE_DATA_DIR ?? (deployment === 'production' ? 'data' : `data-${deployment}`),
    apiKeys: env.PETSTORE_API_KEYS,
    validateResponses: env.PETSTORE_VALIDATE_RESPONSES === 'true',
  };
}
